package io.holdfast.etcd;

import io.holdfast.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends calls that take too long. A timer of its own for every call would wake a thread for every call; here one sweep
 * every few milliseconds serves all that are under way, and there is none when nothing is.
 */
final class TimeLimits {
    private static final long SWEEP_MILLIS = 20;
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(SWEEP_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);

    private record Limit(CompletableFuture<?> call, long end) {}

    private final String where;
    private final Runnable besides;
    private final ConcurrentLinkedQueue<Limit> limits = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Nothing under way yet.
     *
     * @param where for messages
     * @param besides done at each sweep
     */
    TimeLimits(String where, Runnable besides) {
        this.where = where;
        this.besides = besides;
    }

    /** Fails {@code call}, with an unknown outcome, unless it is done by then. */
    void limit(CompletableFuture<?> call, long nanos) {
        limits.add(new Limit(call, System.nanoTime() + nanos));
        if (sweeping.compareAndSet(false, true)) {
            LATER.execute(this::sweep);
        }
    }

    /** What is under way fails at once. */
    void close() {
        closed = true;
        sweepOnce();
    }

    private void sweep() {
        sweepOnce();
        besides.run();
        if (!limits.isEmpty()) {
            LATER.execute(this::sweep);
            return;
        }
        sweeping.set(false);
        // One that was added after the look and before the flag fell has nobody else to look after it.
        if (!limits.isEmpty() && sweeping.compareAndSet(false, true)) {
            LATER.execute(this::sweep);
        }
    }

    private void sweepOnce() {
        long now = System.nanoTime();
        limits.removeIf(limit -> {
            boolean late = closed || now - limit.end() > 0;
            if (late && !limit.call().isDone()) {
                limit.call()
                        .completeExceptionally(new StoreUnavailableException(
                                where + (closed ? " was closed" : " did not answer in time"),
                                true,
                                new TimeoutException()));
            }
            return late || limit.call().isDone();
        });
    }
}
