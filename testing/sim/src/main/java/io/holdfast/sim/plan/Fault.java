package io.holdfast.sim.plan;

/** What can go wrong. */
public enum Fault {
    /** A request never arrives. */
    LOST_REQUEST,
    /** The store acts, and its answer never arrives. */
    LOST_REPLY,
    /** A message travels for up to seconds, past timeouts and past later messages. */
    DELAYED,
    /** A request is executed a second time, up to seconds later, perhaps after the release. */
    DUPLICATED,
    /** One client and the store do not hear each other for a while. */
    PARTITION,
    /** The process stands still while its clocks go on. */
    PAUSE,
    /** The machine sleeps: its monotonic clock stands still, the world goes on. */
    SUSPEND,
    /** The wall clock of a client steps. */
    CLIENT_CLOCK,
    /** The wall clock of the store steps. */
    STORE_CLOCK,
    /** The store is away for a while and comes back with its data. */
    RESTART,
    /** The store is away for a while and comes back empty. */
    DATA_LOSS,
    /** A client dies without a word. */
    CRASH,
    /** A client is closed in good order. */
    CLOSE,
    /** A caller cancels its future. */
    CANCEL,
    /** An operator revokes a lock at the end of its lease. */
    REVOKE,
    /** An operator opens a lock at once. */
    REVOKE_NOW
}
