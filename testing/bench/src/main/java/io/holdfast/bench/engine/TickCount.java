package io.holdfast.bench.engine;

import io.holdfast.Scheduler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The client's scheduler, which counts its ticks and the store calls that each brings about. A tick is one run of a task
 * that the client scheduled; a call belongs to the tick before it, because the client hands calls that may block to
 * another thread.
 */
public final class TickCount implements Scheduler, AutoCloseable {
    private final ScheduledThreadPoolExecutor time = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "bench-time");
        thread.setDaemon(true);
        return thread;
    });
    private long ticks;
    private long calls;
    private long claims;
    private long callsOfThisTick;
    private long mostCallsOfATick;

    /**
     * What was counted.
     *
     * @param ticks how often a scheduled task ran
     * @param calls how many store calls there were
     * @param claims how many claims these carried
     * @param mostCalls the most calls between one tick and the next
     */
    public record Counts(long ticks, long calls, long claims, long mostCalls) {}

    public TickCount() {
        time.setRemoveOnCancelPolicy(true);
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        var future = time.schedule(
                () -> {
                    tick();
                    task.run();
                },
                delayNanos,
                TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** A store call with so many claims. */
    public synchronized void called(int size) {
        calls++;
        claims += size;
        callsOfThisTick++;
        mostCallsOfATick = Math.max(mostCallsOfATick, callsOfThisTick);
    }

    public synchronized Counts counts() {
        return new Counts(ticks, calls, claims, mostCallsOfATick);
    }

    /** Forgets what was counted. */
    public synchronized void reset() {
        ticks = 0;
        calls = 0;
        claims = 0;
        callsOfThisTick = 0;
        mostCallsOfATick = 0;
    }

    @Override
    public void close() {
        time.shutdownNow();
    }

    private synchronized void tick() {
        ticks++;
        callsOfThisTick = 0;
    }
}
