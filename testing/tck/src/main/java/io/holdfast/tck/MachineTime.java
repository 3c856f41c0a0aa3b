package io.holdfast.tck;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's own time, for stores with servers that read it. */
public final class MachineTime implements TestTime {
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "tck-timers");
        thread.setDaemon(true);
        return thread;
    });

    /** Starts a thread for timers, until it is closed. */
    public MachineTime() {
        timers.setRemoveOnCancelPolicy(true);
    }

    @Override
    public Ticker ticker() {
        return Ticker.system();
    }

    @Override
    public Scheduler scheduler() {
        return (task, delayNanos) -> {
            Future<?> timer = timers.schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
            return () -> timer.cancel(false);
        };
    }

    @Override
    public Duration longLoad() {
        return Duration.ofSeconds(Long.getLong("holdfast.tck.loadSeconds", 1));
    }

    @Override
    public void elapse(Duration time) throws InterruptedException {
        CountDownLatch passed = new CountDownLatch(1);
        timers.schedule(passed::countDown, time.toNanos(), TimeUnit.NANOSECONDS);
        passed.await();
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}
