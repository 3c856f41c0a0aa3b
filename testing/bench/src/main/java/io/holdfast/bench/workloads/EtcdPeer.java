package io.holdfast.bench.workloads;

/** One client process of a lock in etcd. Thread-safe. */
interface EtcdPeer extends AutoCloseable {
    /** A lock of this name, for one thread. */
    Handle handle(String name) throws Exception;

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
