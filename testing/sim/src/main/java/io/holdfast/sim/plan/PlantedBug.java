package io.holdfast.sim.plan;

/** Bugs that can be planted, to show that the simulation finds them. */
public enum PlantedBug {
    /** The healthy system. */
    NOTHING,
    /** The store extends a lease that has run out. */
    RENEW_REVIVES,
    /** The store releases the name for any holder id. */
    RELEASE_IGNORES_HOLDER,
    /** The store's tokens start again at 1 after it lost its data. */
    TOKENS_RESTART,
    /** The store's tokens are drawn from a clock only, so a clock step turns them back. */
    TOKENS_FOLLOW_THE_CLOCK,
    /** The store forgets that a holder id was released. */
    NO_TOMBSTONES,
    /** The store ignores the lock-delay. */
    NO_LOCK_DELAY,
    /** The store keeps a grant for half of its TTL. */
    EXPIRES_EARLY,
    /** The store forgets one waiter in four. */
    LOSES_WAITERS,
    /** The client counts validity from the receipt of the answer. */
    VALIDITY_FROM_RECEIPT,
    /** The client's monotonic clock runs 8 % slow, more than the drift allows for. */
    SLOW_CLOCK,
    /** The client's scheduler forgets one timer in twenty. */
    FORGETS_TIMERS,
    /** A release after an unknown outcome is never sent. */
    NO_RELEASE_AFTER_UNKNOWN,
    /** A renewal follows the release. */
    RENEWS_AFTER_RELEASE,
    /** The wall clock of a client stands still when the machine sleeps, so nothing tells that it slept. */
    UNSEEN_SUSPEND,
    /** The client does not hear that others wait when it releases. */
    IGNORES_STAND_BACK,
    /** The store notes no client that waits. */
    NO_NOTES,
    /** The guard is asked at the write only. */
    GUARD_AT_WRITE_ONLY
}
