package io.holdfast.bench.measure;

import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** Threads that pass one {@link Section} as often as the lock under measurement lets them. */
public final class Contention {
    public static final String RATE = "acquisitions/s";
    public static final String UNFAIRNESS = "max/min per thread";
    private static final int PADDING = 16;

    /** One acquire, one pass of the section, one release. */
    @FunctionalInterface
    public interface Pass {
        /** Does it. */
        void once(Section section, int who) throws Exception;
    }

    private final int threads;
    private final AtomicLongArray counts;
    private final Section section = new Section();
    private final boolean together;
    private volatile boolean stopped;

    public Contention(int threads) {
        this(threads, true);
    }

    private Contention(int threads, boolean together) {
        this.threads = threads;
        this.together = together;
        this.counts = new AtomicLongArray(threads * PADDING);
    }

    /** Threads that do not exclude each other and do not pass the section. */
    public static Contention apart(int threads) {
        return new Contention(threads, false);
    }

    /** A pass under the lock of the thread's number. */
    public static Pass under(LockClient.Handle[] locks) {
        return (section, who) -> {
            long token = locks[who].lock();
            try {
                section.pass(who, token);
            } finally {
                locks[who].unlock();
            }
        };
    }

    /** Runs the threads; the numbers are those of the time after the warm-up, the checks are of the whole time. */
    public Measurement measure(Run run, Pass pass) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int index = i;
            workers.add(pool.submit(() -> work(pass, index)));
        }
        pool.shutdown();
        long[] before;
        long[] after;
        long start;
        long end;
        try {
            letPass(workers, run.warmUp());
            before = counts();
            start = System.nanoTime();
            letPass(workers, run.measure());
            after = counts();
            end = System.nanoTime();
        } finally {
            stopped = true;
        }
        for (Future<?> worker : workers) {
            worker.get();
        }
        return measurement(before, after, end - start)
                .with(together ? section.violations(Arrays.stream(counts()).sum()) : List.of());
    }

    private boolean work(Pass pass, int index) throws Exception {
        int slot = index * PADDING;
        while (!stopped) {
            pass.once(section, index + 1);
            counts.lazySet(slot, counts.getPlain(slot) + 1);
        }
        return true;
    }

    /** Waits, but not for threads of which one has failed: it would not come back. */
    private void letPass(List<Future<?>> workers, Duration time) throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
            for (Future<?> worker : workers) {
                if (worker.isDone()) {
                    worker.get();
                }
            }
        }
    }

    private long[] counts() {
        long[] snapshot = new long[threads];
        Arrays.setAll(snapshot, i -> counts.get(i * PADDING));
        return snapshot;
    }

    public static Measurement measurement(long[] before, long[] after, long nanos) {
        long[] passes = new long[after.length];
        Arrays.setAll(passes, i -> after[i] - before[i]);
        double total = Arrays.stream(passes).sum();
        long most = Arrays.stream(passes).max().orElse(0);
        long fewest = Arrays.stream(passes).min().orElse(0);
        // A thread that never passed makes the quotient infinite; one pass instead of none keeps it a number.
        return Measurement.of(RATE, total * 1e9 / nanos)
                .with(UNFAIRNESS, Math.max(1, most) / (double) Math.max(1, fewest));
    }
}
