package io.holdfast.zookeeper.claim;

import io.holdfast.Scheduler;
import io.holdfast.zookeeper.lease.StoreSetup;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long a claim waits: for its turn, and for the end of a lock-delay. Thread-safe. */
final class WaitTimers {
    /** How much longer than its wait a claim stays in line: usually the engine cancels it first, with a better message. */
    private static final long GRACE = 1_000_000_000;

    private final StoreSetup setup;
    private final Runnable waitOver;
    private final Runnable delayOver;
    private long ends;
    private Scheduler.@Nullable Timer limit;
    private Scheduler.@Nullable Timer delay;
    private boolean cancelled;

    WaitTimers(StoreSetup setup, Duration wait, Runnable waitOver, Runnable delayOver) {
        this.setup = setup;
        this.waitOver = waitOver;
        this.delayOver = delayOver;
        this.ends = end(wait);
    }

    /** The claim may wait for this long from now on. */
    synchronized void extend(Duration wait) {
        ends = end(wait);
        if (limit != null) {
            start();
        }
    }

    synchronized boolean isOver() {
        return ends - setup.now() <= 0;
    }

    /** Runs {@code waitOver} when the wait is over. */
    synchronized void start() {
        if (limit != null) {
            limit.cancel();
        }
        limit = cancelled ? null : schedule(waitOver, Math.max(0, ends - setup.now()) + GRACE);
    }

    /** Runs {@code delayOver} after a lock-delay. */
    synchronized void startDelay(Duration lockDelay) {
        if (delay != null) {
            delay.cancel();
        }
        delay = cancelled ? null : schedule(delayOver, lockDelay.toNanos());
    }

    /** The claim waits no more, and never will again. */
    synchronized void cancel() {
        cancelled = true;
        if (limit != null) {
            limit.cancel();
            limit = null;
        }
        if (delay != null) {
            delay.cancel();
            delay = null;
        }
    }

    private long end(Duration wait) {
        return setup.now() + Math.min(wait.toNanos(), Long.MAX_VALUE / 4);
    }

    private Scheduler.Timer schedule(Runnable task, long nanos) {
        return setup.context().scheduler().schedule(task, nanos);
    }
}
