package io.holdfast;

import java.time.Duration;
import java.util.List;

/**
 * One name as the store sees it.
 *
 * @param lockName the lock
 * @param holders who holds it now; empty if it is free or in lock-delay
 * @param waiting how many waiters the store knows of; pull stores know of none and say 0
 * @param lockDelay how much longer the name stays closed after a lease that ended without release; else zero
 * @param revoked whether an operator revoked the current grant, so that it ends at its expiry
 * @param lastToken the highest token issued in this name's history as far as the store still knows, or 0
 * @param tokenLead how far {@code lastToken} is ahead of the store's clock; zero if it is not
 */
public record LockStatus(
        String lockName,
        List<Holder> holders,
        int waiting,
        Duration lockDelay,
        boolean revoked,
        long lastToken,
        Duration tokenLead) {
    /** Copies the list. */
    public LockStatus {
        holders = List.copyOf(holders);
    }

    /** Whether somebody holds the lock. */
    public boolean held() {
        return !holders.isEmpty();
    }
}
