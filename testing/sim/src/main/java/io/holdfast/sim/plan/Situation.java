package io.holdfast.sim.plan;

/** Where a client is, with any of its requests, when a fault meets it. */
public enum Situation {
    /** It has asked the store for a lock and the answer is on its way. */
    ASKING,
    /** It waits: in the store's queue, for a hint, or for the end of a pause. */
    WAITING,
    /** The store has granted it a lock and it does not know yet. */
    GRANTED_UNAWARE,
    /** It holds a lease. */
    HOLDING,
    /** It holds a lease, and others of the same client wait for it. */
    HOLDING_WITH_QUEUE,
    /** It holds a lease that passed to it inside the client. */
    HANDED_OFF,
    /** Its lease is in jeopardy. */
    JEOPARDY,
    /** It has lost a lease and not closed it yet. */
    LOST,
    /** Its release is on the way. */
    RELEASING,
    /** A name is closed by a lock-delay. */
    LOCK_DELAY
}
