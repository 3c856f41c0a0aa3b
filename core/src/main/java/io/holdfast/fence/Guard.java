package io.holdfast.fence;

import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;

/**
 * Stands at a resource and refuses whoever lost the lock. Its verb is {@link #admit}: the <em>first</em> thing done
 * under a lease, before anything is read. A check at the write alone lets a stale write slip between the new holder's
 * read and its write, and an update is lost with every check green (rule U1).
 */
public interface Guard {
    /** What is guarded. */
    String resource();

    /**
     * Marks the resource with this token, or refuses it.
     *
     * @throws StaleTokenException if a newer token was admitted before
     * @throws IllegalArgumentException if the sequencer is of another lock, of a permit, or not signed as required
     */
    void admit(Sequencer sequencer);

    /** What the resource is marked with now. */
    Marks marks();

    /** How many tokens were refused as stale. */
    long refusals();
}
