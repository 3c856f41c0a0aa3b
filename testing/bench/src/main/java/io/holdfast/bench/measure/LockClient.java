package io.holdfast.bench.measure;

import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** One client of a lock library, as a process has one. Thread-safe. */
public interface LockClient extends AutoCloseable {
    /** Of a lock that is never asked whether it is still held, because it does not keep one for as long as one likes. */
    BooleanSupplier NOT_ASKED = () -> {
        throw new UnsupportedOperationException("this lock is not renewed");
    };

    /** A lock of this name, for one thread. */
    Handle handle(String name);

    @Override
    void close();

    /** Locks and unlocks once, so that connections are made and classes loaded before anything is counted. */
    default void once() throws Exception {
        Handle first = handle("first-" + ProcessHandle.current().pid());
        first.lock();
        first.unlock();
    }

    /** A client of these two verbs. */
    static LockClient of(Function<String, Handle> handles, Runnable end) {
        return new LockClient() {
            @Override
            public Handle handle(String name) {
                return handles.apply(name);
            }

            @Override
            public void close() {
                end.run();
            }
        };
    }

    /** A lock as one thread uses it. */
    interface Handle {
        /** Locks, however long it takes; the fencing token, or 0 if there is none. */
        long lock() throws Exception;

        /** Unlocks. */
        void unlock() throws Exception;

        /** Whether it is still locked by us, as far as the library knows or can find out. */
        default boolean isHeld() {
            return NOT_ASKED.getAsBoolean();
        }

        /** A lock of the JDK's kind, without a token. */
        static Handle of(Lock lock, BooleanSupplier held) {
            return of(
                    () -> {
                        lock.lock();
                        return 0;
                    },
                    lock::unlock,
                    held);
        }

        /** These verbs. */
        static Handle of(Taking take, Giving give, BooleanSupplier held) {
            return new Handle() {
                @Override
                public long lock() throws Exception {
                    return take.lock();
                }

                @Override
                public void unlock() throws Exception {
                    give.unlock();
                }

                @Override
                public boolean isHeld() {
                    return held.getAsBoolean();
                }
            };
        }
    }

    /** See {@link Handle#lock()}. */
    @FunctionalInterface
    interface Taking {
        /** Locks. */
        long lock() throws Exception;
    }

    /** See {@link Handle#unlock()}. */
    @FunctionalInterface
    interface Giving {
        /** Unlocks. */
        void unlock() throws Exception;
    }
}
