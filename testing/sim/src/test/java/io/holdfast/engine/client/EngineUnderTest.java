package io.holdfast.engine.client;

import io.holdfast.Holdfast;
import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A client over an {@link InstantStore}: callbacks run on the thread where they arise, the clock stands still, and
 * timers run when the test says so.
 */
final class EngineUnderTest {
    final InstantStore store = new InstantStore();
    private final List<Runnable> timers = new ArrayList<>();
    private final Holdfast client;
    private volatile long now = 1;

    EngineUnderTest() {
        client = Holdfast.builder()
                .store(store)
                .ticker(ticker())
                .scheduler(this::schedule)
                .executor(Runnable::run)
                .random(countingIds())
                .open();
    }

    HoldfastClient client() {
        return (HoldfastClient) client;
    }

    /** Moves the clock and runs the timers that were armed so far. */
    void pass(long nanos) {
        List<Runnable> due;
        synchronized (timers) {
            due = List.copyOf(timers);
            timers.clear();
        }
        now = nanos;
        due.forEach(Runnable::run);
    }

    private Scheduler.Timer schedule(Runnable task, long delayNanos) {
        synchronized (timers) {
            timers.add(task);
        }
        return () -> {
            synchronized (timers) {
                timers.remove(task);
            }
        };
    }

    private Ticker ticker() {
        return new Ticker() {
            @Override
            public long nanos() {
                return now;
            }

            @Override
            public long wallMicros() {
                return now / 1000;
            }
        };
    }

    /** Holder ids that are told apart by a counter: a model checker repeats runs and needs them equal. */
    private static RandomGenerator countingIds() {
        return new RandomGenerator() {
            private long next;

            @Override
            public synchronized long nextLong() {
                return ++next;
            }
        };
    }
}
