package io.holdfast;

import java.util.List;
import java.util.Optional;

/** Several names, acquired all or none and always in the same order, so that two such sets cannot deadlock. */
public interface DistributedLocks {
    /** The names in the order of acquisition. */
    List<String> names();

    /**
     * Acquires all of them; the wait in {@code options} is for all together.
     *
     * @throws LockTimeoutException if not all were obtained in time; none is held then
     */
    LeaseSet acquire(LockOptions options) throws InterruptedException;

    /** Tries once; empty if one of them is held. */
    Optional<LeaseSet> tryAcquire(LockOptions options);
}
