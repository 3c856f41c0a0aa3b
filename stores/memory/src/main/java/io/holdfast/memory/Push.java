package io.holdfast.memory;

import io.holdfast.spi.Claim;

/** What a transition of {@link LockTable} did to a waiter that did not ask: to be told to it. */
public sealed interface Push {
    /** The waiter. */
    Claim claim();

    /** The lock was handed to it. */
    record Handed(Decision.Grant grant) implements Push {
        @Override
        public Claim claim() {
            return grant.claim();
        }
    }

    /** Its wait had ended: it is out of the queue. */
    record Dropped(Claim claim) implements Push {}
}
