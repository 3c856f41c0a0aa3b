package io.holdfast;

/** What a release found. Only {@link #RELEASED} means that the lock was held until this moment. */
public enum ReleaseOutcome {
    /** The lock was held and is free now, or was handed to the next waiter. */
    RELEASED,
    /** The lease had ended before; nobody else was seen holding the lock. */
    EXPIRED,
    /** The lease had ended before, and another holder has the lock. Its grant was not touched. */
    TAKEN,
    /**
     * The store did not answer, or the answer was lost and a repeat found nothing. The release is repeated in the
     * background; at the latest the lock opens when the TTL ends.
     */
    UNKNOWN
}
