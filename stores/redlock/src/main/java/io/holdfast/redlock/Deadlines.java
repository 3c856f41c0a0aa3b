package io.holdfast.redlock;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The calls under way and the sweep that ends those whose time is up. One task for all nodes instead of a timer per
 * node and call: it runs only while calls are under way, and a call is ended at most one sweep late.
 */
final class Deadlines {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");
    private static final long SWEEP_MILLIS = 5;

    private final Queue<NodeCall> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean armed = new AtomicBoolean();
    private final ScheduledExecutorService timers;

    Deadlines(ScheduledExecutorService timers) {
        this.timers = timers;
    }

    void add(NodeCall call) {
        calls.add(call);
        if (!armed.get()) {
            arm();
        }
    }

    private void arm() {
        if (armed.compareAndSet(false, true)) {
            try {
                timers.schedule(this::sweep, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closing) {
                calls.forEach(Deadlines::end);
            }
        }
    }

    private void sweep() {
        try {
            long now = System.nanoTime();
            Iterator<NodeCall> under = calls.iterator();
            while (under.hasNext()) {
                NodeCall call = under.next();
                if (call.isDone() || call.late(now)) {
                    under.remove();
                    end(call);
                }
            }
        } finally {
            armed.set(false);
            if (!calls.isEmpty()) {
                arm();
            }
        }
    }

    /** L13: one call whose end fails must not keep the others from theirs. */
    private static void end(NodeCall call) {
        try {
            call.timeUp();
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, "the end of a call that was not answered failed", e);
        }
    }
}
