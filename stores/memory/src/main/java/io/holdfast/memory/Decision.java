package io.holdfast.memory;

import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Refused;

/** What {@link LockTable} decided about one request. */
public sealed interface Decision {
    /**
     * The claim holds the lock.
     *
     * @param claim the claim
     * @param token the first token
     * @param span how many tokens are reserved
     * @param nanos how long the table keeps the grant, from the {@code now} of the transition on
     */
    record Grant(Claim claim, long token, int span, long nanos) implements Decision {}

    /** The claim does not hold the lock and waits nowhere. */
    record Refusal(Refused because) implements Decision {}

    /** The claim waits in the queue. */
    record Waiting(Refused because) implements Decision {}

    /** The claim meets its tombstone (L1): it was released or cancelled before it arrived. Nothing has changed. */
    record Withdrawn(Refused because) implements Decision {}

    /** A renewal found no grant of this claim that may be extended (U10). */
    record Lost(LossReason reason) implements Decision {}
}
