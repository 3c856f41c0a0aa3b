package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.Latencies;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.ManyThreads;
import io.holdfast.bench.measure.Section;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time from the release in one client to the acquisition in another that waits.
 *
 * <p>The giver takes the lock and the taker begins to wait for it. When the taker's thread waits, the giver holds the lock
 * for the hold time and then releases it. The hold time is a parameter, because it decides what is measured: after a short
 * one threads, connections and processors are still awake, after a long one they are not.
 */
public final class HandOff implements Question {

    private static final Duration TTL = Duration.ofSeconds(30);

    /** During the warm-up: at the measured rate no code would be compiled in time. */
    public static final Duration WARM_HOLD = Duration.ofNanos(300_000);

    /** How many passes a median is made of at the least, however long they take. */
    private static final int LEAST = 20;

    private final Duration hold;

    public HandOff(Duration hold) {
        this.hold = hold;
    }

    @Override
    public String id() {
        return "hand-off-" + hold.toMillis() + "ms";
    }

    @Override
    public String text(StoreUnderTest store) {
        return "release in one client to acquired in another that waits, held for " + hold.toMillis() + " ms";
    }

    /** Some 5,000 passes are needed until the code of a pass is compiled to the end: a loop has them in one second. */
    @Override
    public Run fullRun() {
        return COMPILED;
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (LockClient one = library.open(running.url(), TTL);
                LockClient two = library.open(running.url(), TTL);
                Pair pair = new Pair(one.handle("passed"), two.handle("passed"))) {
            long warm = System.nanoTime() + run.warmUp().toNanos();
            while (System.nanoTime() - warm < 0) {
                pair.pass(WARM_HOLD);
            }
            Latencies times = new Latencies();
            long end = System.nanoTime() + run.measure().toNanos();
            while (times.count() < (run.quick() ? 1 : LEAST) || System.nanoTime() - end < 0) {
                times.add(pair.pass(hold));
            }
            return times.describe("", new Measurement(Map.of(), List.of())).with(pair.violations());
        }
    }

    /** The two clients that pass the lock, and what it protects. */
    private static final class Pair implements AutoCloseable {
        private static final int GIVER = 1;
        private static final int TAKER = 2;
        private static final Duration PATIENCE = Duration.ofSeconds(1);

        private final LockClient.Handle giver;
        private final LockClient.Handle taker;
        private final Section section = new Section();
        private final ExecutorService other = Executors.newSingleThreadExecutor();
        private volatile @Nullable Thread taking;
        private long passes;

        Pair(LockClient.Handle giver, LockClient.Handle taker) {
            this.giver = giver;
            this.taker = taker;
        }

        /** One pass; the nanoseconds from the release to the acquisition. */
        long pass(Duration holding) throws Exception {
            section.enter(GIVER, giver.lock());
            taking = null;
            Future<Long> taken = other.submit(this::take);
            if (holding.compareTo(WARM_HOLD) > 0) {
                awaitWaiting(taken);
            }
            TimeUnit.NANOSECONDS.sleep(holding.toNanos());
            section.leave(GIVER);
            long given = System.nanoTime();
            giver.unlock();
            passes += 2;
            return taken.get() - given;
        }

        private long take() throws Exception {
            taking = Thread.currentThread();
            long token = taker.lock();
            long at = System.nanoTime();
            section.pass(TAKER, token);
            taker.unlock();
            return at;
        }

        /** Not for ever: a client may wait in a way that the JVM does not call waiting. */
        private void awaitWaiting(Future<Long> taken) throws InterruptedException {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!taken.isDone() && System.nanoTime() - end < 0) {
                Thread thread = taking;
                if (thread != null && ManyThreads.waits(thread)) {
                    return;
                }
                TimeUnit.MICROSECONDS.sleep(50);
            }
        }

        List<String> violations() {
            return section.violations(passes);
        }

        @Override
        public void close() {
            other.shutdownNow();
        }
    }
}
