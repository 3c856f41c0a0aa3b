package io.holdfast.spi.support;

import java.lang.System.Logger.Level;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * The calls under way and the sweep that ends those that were not answered in time.
 *
 * <p>One sweep serves all calls, instead of one timer per call. It is scheduled only while calls are under way, and ends
 * a call at most one sweep interval after its deadline. Thread-safe; nothing here blocks.
 *
 * @param <C> the kind of call
 */
public final class CallDeadlines<C extends CallDeadlines.Call> {
    private static final System.Logger LOG = System.getLogger(CallDeadlines.class.getName());

    /** A call with a deadline. Both methods are called by the thread that sweeps and must not block. */
    public interface Call {
        /** Whether the call has been answered or has failed; such a call is forgotten by the next sweep. */
        boolean isDone();

        /**
         * Ends the call with an unknown outcome if it is late.
         *
         * @param nowNanos the time of this sweep on the clock that was handed to {@link CallDeadlines}
         * @return whether the call is over
         */
        boolean endIfLate(long nowNanos);

        /** Ends the call with an unknown outcome: nothing will be scheduled any more, because the store is closing. */
        void endNow();
    }

    private final Queue<C> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean armed = new AtomicBoolean();
    private final LongSupplier clock;
    private final ObjLongConsumer<Runnable> scheduler;
    private final long sweepNanos;

    /**
     * No call yet.
     *
     * @param clock a monotonic clock in nanoseconds
     * @param scheduler runs a task after that many nanoseconds; throws {@link RejectedExecutionException} once closed
     * @param sweepNanos the interval of the sweep
     */
    public CallDeadlines(LongSupplier clock, ObjLongConsumer<Runnable> scheduler, long sweepNanos) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.sweepNanos = sweepNanos;
    }

    /** Watches a call until it is done or late. */
    public void add(C call) {
        calls.add(call);
        arm();
    }

    /** Hands every call that is watched to {@code action}, also those that have been answered since the last sweep. */
    public void forEach(Consumer<? super C> action) {
        calls.forEach(action);
    }

    /** Ends every call that is watched. */
    public void endAll() {
        for (C call : calls) {
            guarded(call, Call::endNow);
        }
    }

    private void arm() {
        if (armed.get() || !armed.compareAndSet(false, true)) {
            return;
        }
        try {
            scheduler.accept(this::sweep, sweepNanos);
        } catch (RejectedExecutionException closing) {
            armed.set(false); // a later call ends at once too
            endAll();
        } catch (Throwable e) {
            armed.set(false); // the next call schedules the sweep
            throw e;
        }
    }

    private void sweep() {
        try {
            long now = clock.getAsLong();
            Iterator<C> each = calls.iterator();
            while (each.hasNext()) {
                C call = each.next();
                if (call.isDone() || isOver(call, now)) {
                    each.remove();
                }
            }
        } finally {
            armed.set(false);
            // A call that was added between the last look and the line above found the sweep armed.
            if (!calls.isEmpty()) {
                arm();
            }
        }
    }

    private boolean isOver(C call, long now) {
        try {
            return call.endIfLate(now);
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "ending a call that was not answered in time failed", e);
            return true;
        }
    }

    /** A call whose end fails must not keep the others from theirs. */
    private static <C> void guarded(C call, Consumer<? super C> end) {
        try {
            end.accept(call);
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "ending a call of a store that closes failed", e);
        }
    }
}
