package io.holdfast;

/** One name in two modes. A waiting writer is not starved by readers that came after it. */
public interface DistributedReadWriteLock {
    /** The name. */
    String name();

    /** The lock in shared mode. */
    DistributedLock readLock();

    /** The lock in exclusive mode. */
    DistributedLock writeLock();
}
