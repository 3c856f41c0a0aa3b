package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * From the release in one client to the acquisition in another that waits.
 *
 * <p>The giver takes the lock, the taker begins to wait for it, and when its thread waits and the settling time has passed
 * the giver gives it up: from there to the taker's return is what counts. The settling time is the same for all who are
 * compared, and long enough for each of them to be where it waits.
 */
final class HandOff implements Question {
    static final String ID = "hand-off";
    static final String P50 = "p50 µs";

    private static final Duration TTL = Duration.ofSeconds(30);

    /** During the warm-up: at the measured rate nobody's code would be compiled in time. */
    static final Duration WARM_SETTLE = Duration.ofNanos(300_000);

    /** How many passes a median is made of at the least, however long they take. */
    private static final int LEAST = 20;

    private final Duration settle;

    HandOff(Duration settle) {
        this.settle = settle;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "release in one client to acquired in another that waits";
    }

    /** Some 5,000 passes are needed until the code of a pass is compiled to the end: a loop has them in one second. */
    @Override
    public Run fullRun() {
        return COMPILED;
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        try (LockClient one = entrant.open(running.url(), TTL);
                LockClient two = entrant.open(running.url(), TTL);
                Pair pair = new Pair(one.handle("passed"), two.handle("passed"))) {
            long warm = System.nanoTime() + run.warmUp().toNanos();
            while (System.nanoTime() - warm < 0) {
                pair.pass(WARM_SETTLE);
            }
            Latencies times = new Latencies();
            long end = System.nanoTime() + run.measure().toNanos();
            while (times.count() < (run.quick() ? 1 : LEAST) || System.nanoTime() - end < 0) {
                times.add(pair.pass(settle));
            }
            return times.describe("", new Measurement(Map.of(), List.of())).with(pair.violations());
        }
    }

    /** The two who pass it, and what they protect. */
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
        long pass(Duration settling) throws Exception {
            section.enter(GIVER, giver.lock());
            taking = null;
            Future<Long> taken = other.submit(this::take);
            if (settling.compareTo(WARM_SETTLE) > 0) {
                awaitWaiting(taken);
            }
            TimeUnit.NANOSECONDS.sleep(settling.toNanos());
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
                if (thread != null && Crowd.waits(thread)) {
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
