package io.holdfast.tck;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes only when told to. Timers run on the thread that lets it pass, in the order of their times, each at
 * its own time. One clock serves clients and server, unless the wall clock is stepped.
 */
public final class VirtualTime implements TestTime, Ticker, Scheduler {
    private record Entry(long at, long number, Runnable task) {}

    private final PriorityQueue<Entry> timers =
            new PriorityQueue<>(Comparator.comparingLong(Entry::at).thenComparingLong(Entry::number));
    private final Duration longLoad;
    private long nanos = 1_000_000_000_000L;
    private long wallAhead = 1_763_200_000_000_000L;
    private long numbers;

    /** Begins in November 2025. */
    public VirtualTime() {
        this(Duration.ofMinutes(1));
    }

    /** With another length of {@link #longLoad()}. */
    public VirtualTime(Duration longLoad) {
        this.longLoad = longLoad;
    }

    @Override
    public Ticker ticker() {
        return this;
    }

    @Override
    public Scheduler scheduler() {
        return this;
    }

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public synchronized long wallMicros() {
        return nanos / 1000 + wallAhead;
    }

    @Override
    public synchronized Timer schedule(Runnable task, long delayNanos) {
        Entry entry = new Entry(nanos + Math.max(0, delayNanos), numbers++, task);
        timers.add(entry);
        return () -> {
            synchronized (this) {
                timers.remove(entry);
            }
        };
    }

    /** Moves the wall clock alone. */
    public synchronized void stepWallClock(Duration by) {
        wallAhead += by.toNanos() / 1000;
    }

    /** The process stands still for so long: time passes, and timers that were due run when it next does. */
    public synchronized void pauseProcess(Duration time) {
        nanos += time.toNanos();
    }

    /** How many timers are waiting. */
    public synchronized int pendingTimers() {
        return timers.size();
    }

    @Override
    public Duration longLoad() {
        return longLoad;
    }

    @Override
    public void elapse(Duration time) {
        long end = nanos() + time.toNanos();
        Runnable due = nextDue(end);
        while (due != null) {
            due.run();
            due = nextDue(end);
        }
    }

    @Override
    public void close() {}

    private synchronized @Nullable Runnable nextDue(long end) {
        Entry first = timers.peek();
        if (first == null || first.at > end) {
            nanos = Math.max(nanos, end);
            return null;
        }
        timers.remove();
        nanos = Math.max(nanos, first.at);
        return first.task;
    }
}
