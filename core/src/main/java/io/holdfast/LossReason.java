package io.holdfast;

/** Why a lease was lost. */
public enum LossReason {
    /** Its validity ended before a renewal was answered (a pause of the process, an unreachable store, or no renewal). */
    EXPIRED,
    /** The store says that this holder does not hold the lock: it expired there, or the store lost its data. */
    GONE,
    /** An operator revoked it. */
    REVOKED,
    /** It was held for as long as {@code maxHold} allows. */
    MAX_HOLD,
    /** The client that held it was closed. */
    CLIENT_CLOSED,
    /**
     * A leader gave its leadership up, or failed in {@link Election.Candidate#elected}. Only candidates are told this: a
     * lease that its holder releases is not lost.
     */
    RESIGNED
}
