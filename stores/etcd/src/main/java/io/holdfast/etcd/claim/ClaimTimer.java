package io.holdfast.etcd.claim;

import io.holdfast.Scheduler;
import io.holdfast.spi.StoreContext;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One timer for all claims. It is set for the earliest claim that needs it, and then looks at every claim.
 *
 * <p>A claim that is released soon after it was granted leaves the timer as it is, so it needs no timer of its own.
 */
final class ClaimTimer {
    /** Nothing will be due for this claim. */
    static final long NEVER = Long.MAX_VALUE / 4;

    static final long SHORTEST_GAP = TimeUnit.MILLISECONDS.toNanos(5);

    /** What is done for claims when the timer fires. */
    interface Duty {
        /** Does what is due for this claim; returns in how many nanoseconds something else is due. */
        long attend(KeyClaim claim, long now);
    }

    private final StoreContext context;
    private final ClaimRegistry registry;
    private final Duty duty;
    private Scheduler.@Nullable Timer timer;
    private long timerAt;
    private boolean closed;

    ClaimTimer(StoreContext context, ClaimRegistry registry, Duty duty) {
        this.context = context;
        this.registry = registry;
        this.duty = duty;
    }

    /** Looks at every claim at {@code at} or earlier. */
    void by(long at) {
        long now = context.ticker().nanos();
        synchronized (this) {
            if (closed || (timer != null && at - timerAt >= 0)) {
                return;
            }
            if (timer != null) {
                timer.cancel();
            }
            timerAt = Math.max(at - now, SHORTEST_GAP) + now;
            timer = context.scheduler().schedule(this::tick, timerAt - now);
        }
    }

    synchronized void stop() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    private void tick() {
        synchronized (this) {
            timer = null;
        }
        long now = context.ticker().nanos();
        long next = NEVER;
        for (KeyClaim claim : registry.all()) {
            next = Math.min(next, duty.attend(claim, now));
        }
        if (next < NEVER) {
            by(now + next);
        }
    }
}
