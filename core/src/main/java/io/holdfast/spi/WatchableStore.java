package io.holdfast.spi;

/** A store that can hint that a name may be free. Hints may be lost or needless: the engine polls beside them. */
public interface WatchableStore extends LockStore {
    /** Calls {@code wake} whenever the name may have become free, until the watch is closed. {@code wake} is quick. */
    Watch watch(String lockName, Runnable wake);

    /** A watch. */
    interface Watch extends AutoCloseable {
        /** Ends it. A call of {@code wake} that is under way may still happen. */
        @Override
        void close();
    }
}
