package io.holdfast.bench.workloads;

/** One client of a lock library, as a process has one. Thread-safe. */
interface LockClient extends AutoCloseable {
    /** A lock of this name, for one thread. */
    Handle handle(String name);

    @Override
    void close();

    /** A lock as one thread uses it. */
    interface Handle {
        /** Locks, however long it takes; the fencing token, or 0 if there is none. */
        long lock() throws Exception;

        /** Unlocks. */
        void unlock() throws Exception;

        /** Whether it is still locked by us, as far as the library knows or can find out. */
        boolean isHeld();
    }
}
