package io.holdfast.zookeeper;

import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The answers that callers wait for, and the sweep that ends those whose time is up: one task for all instead of a timer
 * per call. What ZooKeeper answers later still reaches whoever sent the request, but not the caller.
 */
final class PendingAnswers {
    private static final long SWEEP_NANOS = 50_000_000;

    private record Pending(CompletableFuture<?> future, String what, long deadline) {}

    private final Ticker ticker;
    private final Scheduler scheduler;
    private final long ioNanos;
    private final String location;
    private final Queue<Pending> all = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean armed = new AtomicBoolean();

    PendingAnswers(Ticker ticker, Scheduler scheduler, long ioNanos, String location) {
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.ioNanos = ioNanos;
        this.location = location;
    }

    /** The same future, which fails with an unknown outcome if nothing completes it within the I/O timeout. */
    <T> CompletableFuture<T> bounded(CompletableFuture<T> future, String what) {
        if (!future.isDone()) {
            all.add(new Pending(future, what, ticker.nanos() + ioNanos));
            arm();
        }
        return future;
    }

    /** As {@link #bounded}, for an answer that others wait for too: they go on waiting. */
    <T> CompletableFuture<T> boundedCopy(CompletionStage<T> stage, String what) {
        return bounded(stage.toCompletableFuture().copy(), what);
    }

    private void arm() {
        if (!armed.get() && armed.compareAndSet(false, true)) {
            scheduler.schedule(this::sweep, SWEEP_NANOS);
        }
    }

    private void sweep() {
        long now = ticker.nanos();
        Iterator<Pending> each = all.iterator();
        while (each.hasNext()) {
            Pending pending = each.next();
            boolean late = now - pending.deadline >= 0;
            if (late) {
                pending.future.completeExceptionally(new StoreUnavailableException(
                        pending.what + ": store " + location + " did not answer within its I/O timeout", true, null));
            }
            if (late || pending.future.isDone()) {
                each.remove();
            }
        }
        armed.set(false);
        if (!all.isEmpty()) {
            arm();
        }
    }
}
