package io.holdfast.bench.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many threads that each do something once. */
final class Crowd {
    private static final int LOCKERS = 16;

    private Crowd() {}

    /** Locks so many names, {@code prefix-from} and on, and keeps them locked. */
    static List<LockClient.Handle> hold(LockClient client, String prefix, int from, int count) throws Exception {
        List<LockClient.Handle> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(client.handle(prefix + "-" + (from + i)));
        }
        share(handles.size(), index -> handles.get(index).lock());
        return handles;
    }

    /** A piece of work by its number. */
    @FunctionalInterface
    interface Work {
        /** Does it. */
        void once(int index) throws Exception;
    }

    /** Does the work of the numbers from 0 to {@code count}, on 16 threads. */
    static void share(int count, Work work) throws Exception {
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

    /** Waits until every thread waits for something, which is what a thread in {@code lock()} does. */
    static void awaitWaiting(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
                if (thread.getState() == Thread.State.TERMINATED) {
                    throw new IllegalStateException("a waiter got a lock that is held, or failed");
                }
                Thread.sleep(1);
            }
        }
    }
}
