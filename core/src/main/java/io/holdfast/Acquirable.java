package io.holdfast;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What can be acquired: a lock in one mode, or a permit. {@code acquire} throws when it cannot, {@code tryAcquire}
 * returns a value and never waits for a holder. {@code runHeld} and {@code callHeld} acquire, work and release;
 * {@code runIfFree} and {@code callIfFree} do so only if the lock is free. Every method has a form without options,
 * which uses the client's defaults.
 *
 * <p>Thread-safe. Every method may throw {@link StoreUnavailableException}; after an unknown outcome nothing is left
 * behind that outlives the TTL. A call ends within its wait plus one I/O timeout of the store. A timeout, an interrupt
 * or a cancelled future leaves no lock and no place in a queue. A store that cannot be reached when the wait ends is
 * reported as {@link StoreUnavailableException}, not as a timeout. After {@link Holdfast#close()} every method throws
 * {@link IllegalStateException}.
 */
public interface Acquirable {
    /**
     * Work under a lease.
     *
     * @param <T> the type of the result
     * @param <E> the checked exception that the work throws; the compiler infers none if it throws none
     */
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        /**
         * Works while {@code lease} is held, on the thread that is documented by the method that takes the work. Long
         * work calls {@link Lease#ensureValid()} before each step that must not overlap with another holder's.
         */
        T call(Lease lease) throws E;
    }

    /**
     * Work under a lease, without a result.
     *
     * @param <E> the checked exception that the task throws; the compiler infers none if it throws none
     */
    @FunctionalInterface
    interface Task<E extends Exception> {
        /** Works while {@code lease} is held; as {@link Work#call}. */
        void run(Lease lease) throws E;
    }

    /** The name of the lock. */
    String name();

    /**
     * Acquires, waiting as long as {@code options} say.
     *
     * @throws LockTimeoutException if the wait ended first
     * @throws InterruptedException if the thread was interrupted first; nothing is held then
     */
    Lease acquire(LockOptions options) throws InterruptedException;

    /**
     * Acquires with the client's defaults.
     *
     * @throws LockTimeoutException if the wait ended first
     * @throws InterruptedException if the thread was interrupted first; nothing is held then
     */
    default Lease acquire() throws InterruptedException {
        return acquire(LockOptions.defaults());
    }

    /**
     * Tries once; empty if the lock is held or closed. The wait in {@code options} is not used.
     *
     * <p>On a store without a queue it is also empty for a moment after this client released the lock while other clients
     * waited for it: the other clients have the next turn. The moment is the pause after which they ask again, at most one
     * second. {@code acquire} waits it out.
     */
    Optional<Lease> tryAcquire(LockOptions options);

    /** Tries once with the client's defaults; empty if the lock is held or closed. */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(LockOptions.defaults());
    }

    /**
     * Acquires without blocking. The future fails as {@link #acquire(LockOptions)} would; cancelling it withdraws the
     * request, and a grant that races the cancel is released. The lease is not bound to a thread. Completions run on
     * the client's executor.
     */
    CompletableFuture<Lease> acquireAsync(LockOptions options);

    /** Acquires without blocking, with the client's defaults; as {@link #acquireAsync(LockOptions)}. */
    default CompletableFuture<Lease> acquireAsync() {
        return acquireAsync(LockOptions.defaults());
    }

    /**
     * Tries once without blocking; empty if the lock is held or closed. Cancelling the future releases what it was
     * granted.
     */
    CompletableFuture<Optional<Lease>> tryAcquireAsync(LockOptions options);

    /** Tries once without blocking, with the client's defaults; as {@link #tryAcquireAsync(LockOptions)}. */
    default CompletableFuture<Optional<Lease>> tryAcquireAsync() {
        return tryAcquireAsync(LockOptions.defaults());
    }

    /**
     * Runs {@code work} on the calling thread while holding the lock, and releases it.
     *
     * @return what the work returned
     * @throws LockTimeoutException if the wait ended first; the work did not run
     * @throws InterruptedException if the thread was interrupted first; the work did not run
     * @throws LeaseLostException after the work, if the lease did not last until its end. If the work threw, its own
     *     exception is thrown and this one is suppressed in it
     */
    <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E, InterruptedException;

    /** Runs {@code work} while holding the lock, with the client's defaults; as {@link #callHeld(LockOptions, Work)}. */
    default <T, E extends Exception> T callHeld(Work<T, E> work) throws E, InterruptedException {
        return callHeld(LockOptions.defaults(), work);
    }

    /** Runs {@code task} while holding the lock; as {@link #callHeld(LockOptions, Work)}, without a result. */
    default <E extends Exception> void runHeld(LockOptions options, Task<E> task) throws E, InterruptedException {
        this.<Boolean, E>callHeld(options, lease -> {
            task.run(lease);
            return Boolean.TRUE;
        });
    }

    /** Runs {@code task} while holding the lock, with the client's defaults; as {@link #callHeld(LockOptions, Work)}. */
    default <E extends Exception> void runHeld(Task<E> task) throws E, InterruptedException {
        runHeld(LockOptions.defaults(), task);
    }

    /**
     * Runs {@code work} if the lock is free, and releases it. Never waits for a holder; the wait in {@code options} is
     * not used.
     *
     * @return what the work returned; empty says that the lock was not free and the work did not run
     * @throws NullPointerException if the work returned null, which empty could not be told from; it has run, and the
     *     lock is released. Work without a result is for {@link #runIfFree(LockOptions, Task)}
     * @throws LeaseLostException after the work, if the lease did not last until its end
     */
    <T, E extends Exception> Optional<T> callIfFree(LockOptions options, Work<T, E> work) throws E;

    /** Runs {@code work} if the lock is free, with the client's defaults; as {@link #callIfFree(LockOptions, Work)}. */
    default <T, E extends Exception> Optional<T> callIfFree(Work<T, E> work) throws E {
        return callIfFree(LockOptions.defaults(), work);
    }

    /**
     * Runs {@code task} if the lock is free, and releases it. Never waits for a holder; the wait in {@code options} is
     * not used.
     *
     * @return whether it ran
     * @throws LeaseLostException after the task, if the lease did not last until its end
     */
    default <E extends Exception> boolean runIfFree(LockOptions options, Task<E> task) throws E {
        return this.<Boolean, E>callIfFree(options, lease -> {
                    task.run(lease);
                    return Boolean.TRUE;
                })
                .isPresent();
    }

    /** Runs {@code task} if the lock is free, with the client's defaults; as {@link #runIfFree(LockOptions, Task)}. */
    default <E extends Exception> boolean runIfFree(Task<E> task) throws E {
        return runIfFree(LockOptions.defaults(), task);
    }

    /**
     * Acquires without blocking, runs {@code work} on the client's executor and releases. The future fails as {@link
     * #callHeld(LockOptions, Work)} would throw. The lease is not bound to a thread.
     *
     * <p>Cancelling the future, or completing it in any other way, leaves no lock: a request that waits is withdrawn,
     * and work that has not begun does not begin. Work that has begun is not interrupted; it keeps the lock until it
     * returns.
     */
    <T> CompletableFuture<T> callHeldAsync(LockOptions options, Work<T, ? extends Exception> work);

    /** As {@link #callHeldAsync(LockOptions, Work)}, with the client's defaults. */
    default <T> CompletableFuture<T> callHeldAsync(Work<T, ? extends Exception> work) {
        return callHeldAsync(LockOptions.defaults(), work);
    }

    /**
     * The same, for code that cannot declare {@link InterruptedException}: the methods that wait throw the unchecked
     * {@link LockInterruptedException} instead, and the thread stays interrupted.
     */
    Unchecked unchecked();

    /**
     * The methods that wait, without a checked exception of their own. A thread that is interrupted gets a {@link
     * LockInterruptedException}, nothing is held, and its interrupt flag is set. In everything else they are the methods
     * of the same name of {@link Acquirable}. Thread-safe.
     */
    interface Unchecked {
        /** As {@link Acquirable#acquire(LockOptions)}. */
        Lease acquire(LockOptions options);

        /** As {@link Acquirable#acquire()}. */
        default Lease acquire() {
            return acquire(LockOptions.defaults());
        }

        /** As {@link Acquirable#callHeld(LockOptions, Work)}; an exception of the work is thrown as it is. */
        <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E;

        /** As {@link Acquirable#callHeld(Work)}. */
        default <T, E extends Exception> T callHeld(Work<T, E> work) throws E {
            return callHeld(LockOptions.defaults(), work);
        }

        /** As {@link Acquirable#runHeld(LockOptions, Task)}. */
        default <E extends Exception> void runHeld(LockOptions options, Task<E> task) throws E {
            this.<Boolean, E>callHeld(options, lease -> {
                task.run(lease);
                return Boolean.TRUE;
            });
        }

        /** As {@link Acquirable#runHeld(Task)}. */
        default <E extends Exception> void runHeld(Task<E> task) throws E {
            runHeld(LockOptions.defaults(), task);
        }
    }
}
