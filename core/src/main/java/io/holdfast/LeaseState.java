package io.holdfast;

/** The life of a lease: {@code HELD → JEOPARDY → HELD | LOST}, {@code → RELEASED}. */
public enum LeaseState {
    /** The lock is held; the store answered the last renewal. */
    HELD,
    /** Renewal is failing, or the machine was suspended; the lease is still valid for {@link Lease#remaining()}. */
    JEOPARDY,
    /** The lease ended without a release. Somebody else may hold the lock; only a guard protects the data now. */
    LOST,
    /** The holder released the lock. */
    RELEASED
}
