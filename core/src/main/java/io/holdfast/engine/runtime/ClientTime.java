package io.holdfast.engine.runtime;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The clocks and the timer of one client, and how a thread of the client sleeps. */
public final class ClientTime {
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final boolean realTime;

    public ClientTime(Ticker ticker, Scheduler scheduler) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.realTime = ticker == Ticker.system();
    }

    public Ticker ticker() {
        return ticker;
    }

    public Scheduler scheduler() {
        return scheduler;
    }

    /** The monotonic clock in ns. */
    public long nanos() {
        return ticker.nanos();
    }

    public Scheduler.Timer schedule(Runnable task, long delayNanos) {
        return scheduler.schedule(task, delayNanos);
    }

    /**
     * By how much the wall clock is ahead of the monotonic clock, in ns. The lead jumps when the machine was suspended
     * (U21). A thread that was held up between the two readings reads both again: the gap would look like a jump.
     */
    public long wallLead() {
        long before = ticker.nanos();
        for (int tries = 0; ; tries++) {
            long wall = ticker.wallMicros();
            long after = ticker.nanos();
            if (after - before < 500_000 || tries == 10) {
                return wall * 1000 - after;
            }
            before = after;
        }
    }

    /** 1 % of the TTL and 2 ms: a lease ends at the client earlier than at the store by this much. */
    public static long drift(long ttlNanos) {
        return ttlNanos / 100 + 2_000_000;
    }

    /** Parks the thread for at most that long on the client's clock, or until it is unparked or interrupted. */
    public void park(long nanos) {
        if (realTime) {
            LockSupport.parkNanos(this, nanos);
            return;
        }
        Thread thread = Thread.currentThread();
        Scheduler.Timer timer = scheduler.schedule(() -> LockSupport.unpark(thread), nanos);
        LockSupport.park(this);
        timer.cancel();
    }

    /** Parks until {@code done} or the deadline, and says which. An interrupt does not end the wait and is kept. */
    public boolean parkUntil(BooleanSupplier done, long deadline) {
        boolean interrupted = false;
        while (!done.getAsBoolean()) {
            long left = deadline - ticker.nanos();
            if (left <= 0) {
                break;
            }
            park(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return done.getAsBoolean();
    }
}
