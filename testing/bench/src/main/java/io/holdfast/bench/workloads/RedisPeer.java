package io.holdfast.bench.workloads;

/** One client process of a lock in Redis. Thread-safe. */
interface RedisPeer extends AutoCloseable {
    /** A lock of this name, for one thread. */
    Handle handle(String name);

    /** Locks once, so that connections are made and classes loaded before anything is counted. */
    default void once() throws Exception {
        Handle first = handle("first");
        first.lock();
        first.unlock();
    }

    @Override
    void close();

    /** A lock as one thread uses it. */
    interface Handle {
        /** Locks, however long it takes; the fencing token, or 0 if there is none. */
        long lock() throws Exception;

        /** Unlocks. */
        void unlock() throws Exception;
    }
}
