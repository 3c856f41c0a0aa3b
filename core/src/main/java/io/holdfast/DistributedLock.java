package io.holdfast;

/**
 * A named lock. Two objects of the same name are the same lock, in every process that uses the same store and
 * namespace.
 *
 * <p>The blocking methods are re-entrant for the thread to which a held lease is bound: the inner lease keeps the
 * outer token. Asking for exclusive while holding shared is {@link IllegalStateException}, not a deadlock, and a lost
 * outer lease makes the inner acquire throw {@link LeaseLostException}.
 */
public interface DistributedLock extends Acquirable {
    /** The mode in which this object acquires. */
    Mode mode();

    /** The {@link java.util.concurrent.locks.Lock} view. */
    LeaseLock asLock();
}
