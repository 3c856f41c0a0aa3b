package io.holdfast.bench.measure;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many threads that each do something once. */
public final class ManyThreads {
    private static final int LOCKERS = 16;
    private static final Set<Thread.State> WAITS =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);

    private ManyThreads() {}

    /** Locks so many names, {@code prefix-from} and on, and keeps them locked. */
    public static List<LockClient.Handle> hold(LockClient client, String prefix, int from, int count) throws Exception {
        List<LockClient.Handle> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(client.handle(prefix + "-" + (from + i)));
        }
        share(handles.size(), index -> handles.get(index).lock());
        return handles;
    }

    /** A piece of work by its number. */
    @FunctionalInterface
    public interface Work {
        /** Does it. */
        void once(int index) throws Exception;
    }

    /** Does the work of the numbers from 0 to {@code count}, on 16 threads. */
    public static void share(int count, Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(LOCKERS);
        try {
            List<Callable<Boolean>> shares = new ArrayList<>();
            for (int locker = 0; locker < LOCKERS; locker++) {
                int first = locker;
                shares.add(() -> {
                    for (int i = first; i < count; i += LOCKERS) {
                        work.once(i);
                    }
                    return true;
                });
            }
            for (Future<Boolean> share : pool.invokeAll(shares)) {
                share.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /**
     * Waits until every thread waits for something, which is what a thread in {@code lock()} does, or has ended: one that
     * got a lock that is held is found out by the section.
     */
    public static void awaitWaiting(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            while (!waits(thread)) {
                Thread.sleep(1);
            }
        }
    }

    /** Whether it waits for something or has ended. A thread that waits for a socket runs, as the JVM sees it. */
    public static boolean waits(Thread thread) {
        if (WAITS.contains(thread.getState())) {
            return true;
        }
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod();
    }
}
