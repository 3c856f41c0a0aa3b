package io.holdfast;

/** How a lock is taken from its holder. */
public enum Revocation {
    /**
     * Renewals are refused from now on, and the name opens when the current lease would have ended, plus its
     * lock-delay. Exclusion holds: a live holder learns of the loss before anybody else is granted the lock.
     */
    AT_LEASE_END,
    /** The name opens at once. The old holder may still believe in its lease: only fencing protects the data. */
    NOW
}
