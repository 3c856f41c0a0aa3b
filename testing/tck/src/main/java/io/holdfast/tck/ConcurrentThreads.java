package io.holdfast.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs threads that start together. What one of them throws is thrown on the test's thread. */
public final class ConcurrentThreads {
    /** What one thread does. */
    public interface Member {
        void act(int number) throws Exception;
    }

    private ConcurrentThreads() {}

    /** Runs {@code size} threads to their end, for six times the patience at most. */
    public static void run(int size, Member member) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(size);
        CountDownLatch start = new CountDownLatch(1);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int number = i;
                results.add(threads.submit(() -> {
                    start.await();
                    member.act(number);
                    return number;
                }));
            }
            start.countDown();
            for (Future<?> result : results) {
                result.get(TestTime.patience().multipliedBy(6).toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException e) {
            throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("the threads did not finish", e);
        } finally {
            threads.shutdownNow();
        }
    }
}
