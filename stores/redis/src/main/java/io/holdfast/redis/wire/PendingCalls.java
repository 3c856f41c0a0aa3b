package io.holdfast.redis.wire;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The calls under way, in the order of their sending, and the sweep that ends those whose time is up. One task for all
 * instead of a timer per call: it runs only while calls are under way, and a call is ended at most one sweep late.
 */
final class PendingCalls {
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Queue<RedisCall> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean armed = new AtomicBoolean();
    private final ScheduledExecutorService timers;

    PendingCalls(ScheduledExecutorService timers) {
        this.timers = timers;
    }

    void add(RedisCall call) {
        calls.add(call);
        if (!armed.get()) {
            arm();
        }
    }

    /** Ends the calls that were sent on this session: what became of them is unknown. */
    void endAllOf(Session session) {
        for (RedisCall call : calls) {
            if (call.sentOn(session)) {
                call.connectionLost();
            }
        }
    }

    private void arm() {
        if (armed.compareAndSet(false, true)) {
            try {
                timers.schedule(this::sweep, SWEEP_NANOS, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closing) {
                calls.forEach(RedisCall::connectionLost);
            } catch (Throwable e) { // L13: the next call arms it
                armed.set(false);
                throw e;
            }
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        Iterator<RedisCall> under = calls.iterator();
        while (under.hasNext()) {
            RedisCall call = under.next();
            if (call.isDone() || call.endIfLate(now)) {
                under.remove();
            }
        }
        armed.set(false);
        if (!calls.isEmpty()) {
            arm();
        }
    }
}
