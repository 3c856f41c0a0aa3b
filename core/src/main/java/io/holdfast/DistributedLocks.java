package io.holdfast;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Several names, acquired all or none and always in the same order, so that two such sets cannot deadlock. The methods
 * are those of {@link Acquirable} with all the leases instead of one; the wait in {@code options} is for all together,
 * everything else is for each.
 *
 * <p>Thread-safe. A call that throws, a try that returns empty and a cancelled future hold none of the locks.
 */
public interface DistributedLocks {
    /**
     * Work under the leases of all the locks.
     *
     * @param <T> the type of the result
     * @param <E> the checked exception that the work throws; the compiler infers none if it throws none
     */
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        /** Works on the calling thread while all of {@code leases} are held. */
        T call(LeaseSet leases) throws E;
    }

    /**
     * Work under the leases of all the locks, without a result.
     *
     * @param <E> the checked exception that the task throws; the compiler infers none if it throws none
     */
    @FunctionalInterface
    interface Task<E extends Exception> {
        /** Works on the calling thread while all of {@code leases} are held. */
        void run(LeaseSet leases) throws E;
    }

    /** The names in the order of acquisition. */
    List<String> names();

    /**
     * Acquires all of them; the wait in {@code options} is for all together.
     *
     * @throws LockTimeoutException if not all were obtained in time; none is held then
     * @throws InterruptedException if the thread was interrupted first; none is held then
     */
    LeaseSet acquire(LockOptions options) throws InterruptedException;

    /** Acquires all of them with the client's defaults; as {@link #acquire(LockOptions)}. */
    default LeaseSet acquire() throws InterruptedException {
        return acquire(LockOptions.defaults());
    }

    /** Tries once; empty if one of them is held or closed. The wait in {@code options} is not used. */
    Optional<LeaseSet> tryAcquire(LockOptions options);

    /** Tries once with the client's defaults; empty if one of them is held or closed. */
    default Optional<LeaseSet> tryAcquire() {
        return tryAcquire(LockOptions.defaults());
    }

    /**
     * Acquires all of them without blocking. The future fails as {@link #acquire(LockOptions)} would; cancelling it
     * withdraws the request and releases what was granted. The leases are bound to no thread. Completions run on the
     * client's executor.
     */
    CompletableFuture<LeaseSet> acquireAsync(LockOptions options);

    /** Acquires all of them without blocking, with the client's defaults; as {@link #acquireAsync(LockOptions)}. */
    default CompletableFuture<LeaseSet> acquireAsync() {
        return acquireAsync(LockOptions.defaults());
    }

    /**
     * Runs {@code work} on the calling thread while holding all of them, and releases them, the last acquired first.
     *
     * @return what the work returned
     * @throws LockTimeoutException if not all were obtained in time; the work did not run
     * @throws InterruptedException if the thread was interrupted first; the work did not run
     * @throws LeaseLostException after the work, if one of the leases did not last until its end. If the work threw, its
     *     own exception is thrown and this one is suppressed in it
     */
    <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E, InterruptedException;

    /** Runs {@code work} with the client's defaults; as {@link #callHeld(LockOptions, Work)}. */
    default <T, E extends Exception> T callHeld(Work<T, E> work) throws E, InterruptedException {
        return callHeld(LockOptions.defaults(), work);
    }

    /** Runs {@code task} while holding all of them; as {@link #callHeld(LockOptions, Work)}, without a result. */
    default <E extends Exception> void runHeld(LockOptions options, Task<E> task) throws E, InterruptedException {
        this.<Boolean, E>callHeld(options, leases -> {
            task.run(leases);
            return Boolean.TRUE;
        });
    }

    /** Runs {@code task} with the client's defaults; as {@link #callHeld(LockOptions, Work)}, without a result. */
    default <E extends Exception> void runHeld(Task<E> task) throws E, InterruptedException {
        runHeld(LockOptions.defaults(), task);
    }

    /**
     * Runs {@code work} if all of them are free, and releases them. Never waits for a holder.
     *
     * @return what the work returned; empty says that not all were free and the work did not run
     * @throws NullPointerException if the work returned null, which empty could not be told from; it has run, and the
     *     locks are released
     * @throws LeaseLostException after the work, if one of the leases did not last until its end
     */
    <T, E extends Exception> Optional<T> callIfFree(LockOptions options, Work<T, E> work) throws E;

    /** Runs {@code work} with the client's defaults; as {@link #callIfFree(LockOptions, Work)}. */
    default <T, E extends Exception> Optional<T> callIfFree(Work<T, E> work) throws E {
        return callIfFree(LockOptions.defaults(), work);
    }

    /** Runs {@code task} if all of them are free, and says whether it ran; as {@link #callIfFree(LockOptions, Work)}. */
    default <E extends Exception> boolean runIfFree(LockOptions options, Task<E> task) throws E {
        return this.<Boolean, E>callIfFree(options, leases -> {
                    task.run(leases);
                    return Boolean.TRUE;
                })
                .isPresent();
    }

    /** Runs {@code task} with the client's defaults; as {@link #runIfFree(LockOptions, Task)}. */
    default <E extends Exception> boolean runIfFree(Task<E> task) throws E {
        return runIfFree(LockOptions.defaults(), task);
    }

    /**
     * The same, for code that cannot declare {@link InterruptedException}: the methods that wait throw the unchecked
     * {@link LockInterruptedException} instead, and the thread stays interrupted.
     */
    Unchecked unchecked();

    /** As {@link Acquirable.Unchecked}, for all the locks. Thread-safe. */
    interface Unchecked {
        /** As {@link DistributedLocks#acquire(LockOptions)}. */
        LeaseSet acquire(LockOptions options);

        /** As {@link DistributedLocks#acquire()}. */
        default LeaseSet acquire() {
            return acquire(LockOptions.defaults());
        }

        /** As {@link DistributedLocks#callHeld(LockOptions, Work)}; an exception of the work is thrown as it is. */
        <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E;

        /** As {@link DistributedLocks#callHeld(Work)}. */
        default <T, E extends Exception> T callHeld(Work<T, E> work) throws E {
            return callHeld(LockOptions.defaults(), work);
        }

        /** As {@link DistributedLocks#runHeld(LockOptions, Task)}. */
        default <E extends Exception> void runHeld(LockOptions options, Task<E> task) throws E {
            this.<Boolean, E>callHeld(options, leases -> {
                task.run(leases);
                return Boolean.TRUE;
            });
        }

        /** As {@link DistributedLocks#runHeld(Task)}. */
        default <E extends Exception> void runHeld(Task<E> task) throws E {
            runHeld(LockOptions.defaults(), task);
        }
    }
}
