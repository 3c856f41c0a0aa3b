package io.holdfast;

/**
 * The thread was interrupted while it waited for a lock, through a view that throws no checked exception ({@link
 * Acquirable#unchecked()}). Nothing is held, and the thread's interrupt flag is set.
 */
public final class LockInterruptedException extends HoldfastException {
    private final String lockName;

    /** With the lock, or the locks separated by commas, and the interrupt as its cause. */
    public LockInterruptedException(String lockName, InterruptedException cause) {
        super("interrupted while waiting for lock '" + lockName + "'; nothing is held", cause);
        this.lockName = lockName;
    }

    /** The lock that was waited for; several are separated by commas. */
    public String lockName() {
        return lockName;
    }
}
