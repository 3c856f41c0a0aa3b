package io.holdfast;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What can be acquired: a lock in one mode, or a permit. {@code acquire} throws when it cannot, {@code tryAcquire}
 * returns a value and never waits for a holder.
 *
 * <p>Thread-safe. Every method may throw {@link StoreUnavailableException}; after an unknown outcome nothing is left
 * behind that outlives the TTL. A call ends within its wait plus one I/O timeout of the store. A timeout, an interrupt
 * or a cancelled future leaves no lock and no place in a queue. A store that cannot be reached when the wait ends is
 * reported as {@link StoreUnavailableException}, not as a timeout.
 */
public interface Acquirable {
    /** Work under a lease. */
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        /** Does it. */
        T call(Lease lease) throws E;
    }

    /** Work under a lease, without a result. */
    @FunctionalInterface
    interface Task<E extends Exception> {
        /** Does it. */
        void run(Lease lease) throws E;
    }

    /** The name. */
    String name();

    /**
     * Acquires, waiting as long as {@code options} say.
     *
     * @throws LockTimeoutException if the wait ended first
     * @throws InterruptedException if the thread was interrupted first
     */
    Lease acquire(LockOptions options) throws InterruptedException;

    /** Acquires with the client's defaults. */
    default Lease acquire() throws InterruptedException {
        return acquire(LockOptions.defaults());
    }

    /**
     * Tries once; empty if the lock is not free. The wait in {@code options} is not used.
     *
     * <p>On a store without a queue it is also empty for a moment after this client released the lock while other clients
     * waited for it: the other clients have the next turn. The moment is the pause after which they ask again, at most one
     * second. {@code acquire} waits it out.
     */
    Optional<Lease> tryAcquire(LockOptions options);

    /** Tries once with the client's defaults. */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(LockOptions.defaults());
    }

    /**
     * Acquires without blocking. The future fails as {@link #acquire(LockOptions)} would; cancelling it withdraws the
     * request, and a grant that races the cancel is released. The lease is not bound to a thread. Completions run on
     * the client's executor.
     */
    CompletableFuture<Lease> acquireAsync(LockOptions options);

    /** Tries once without blocking. */
    CompletableFuture<Optional<Lease>> tryAcquireAsync(LockOptions options);

    /**
     * Runs {@code work} while holding the lock.
     *
     * @throws LeaseLostException after the work, if the lease did not last until its end
     */
    <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E, InterruptedException;

    /** Runs {@code task} while holding the lock; as {@link #callHeld}. */
    default <E extends Exception> void runHeld(LockOptions options, Task<E> task) throws E, InterruptedException {
        this.<Boolean, E>callHeld(options, lease -> {
            task.run(lease);
            return Boolean.TRUE;
        });
    }

    /** Runs {@code task} if the lock is free, and says whether it ran. Never waits for a holder. */
    default <E extends Exception> boolean runIfFree(Task<E> task) throws E {
        return runIfFree(LockOptions.defaults(), task);
    }

    /** Runs {@code task} if the lock is free, and says whether it ran. Never waits for a holder. */
    <E extends Exception> boolean runIfFree(LockOptions options, Task<E> task) throws E;

    /** Acquires without blocking, runs {@code work} on the client's executor and releases. */
    <T> CompletableFuture<T> callHeldAsync(LockOptions options, Work<T, ? extends Exception> work);
}
