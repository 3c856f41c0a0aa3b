package io.holdfast;

/** The lock was not obtained within the wait. Nothing of the attempt is left in the store. */
public final class LockTimeoutException extends HoldfastException {
    /** With a message that names the lock and its holder. */
    public LockTimeoutException(String message) {
        super(message);
    }
}
