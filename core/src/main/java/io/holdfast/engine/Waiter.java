package io.holdfast.engine;

import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.Scheduler;
import io.holdfast.spi.Refused;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One request in a {@link NameQueue}, from its arrival to its one outcome. The outcome is set under the queue's monitor
 * and delivered outside of it: to a parked thread by unparking it, to a future on the client's executor.
 */
final class Waiter {
    /** The outcome of a try that was refused. */
    static final Object REFUSED = new Object();

    final Request request;
    final long arrived;
    final @Nullable Thread thread;
    final @Nullable CompletableFuture<Lease> future;

    /** Whether a refusal is a value to whoever waits for the future. */
    boolean trying;

    // Guarded by the queue's monitor.
    boolean lastAsk;

    @Nullable
    Contest contest;

    Scheduler.@Nullable Timer timer;

    /** What the store said last was in the way. */
    volatile @Nullable Refused refusal;

    /** Read by the waiting thread. */
    volatile long deadline;

    private volatile @Nullable Object outcome;

    Waiter(Request request, long now, @Nullable Thread thread, @Nullable CompletableFuture<Lease> future) {
        this.request = request;
        this.arrived = now;
        this.deadline = now + request.waitNanos();
        this.thread = thread;
        this.future = future;
    }

    boolean waiting() {
        return outcome == null;
    }

    @Nullable
    Object outcome() {
        return outcome;
    }

    /** Under the queue's monitor, once. */
    void decide(Object value) {
        outcome = value;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Outside of every monitor, after {@link #decide}. */
    void deliver(Env env) {
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        CompletableFuture<Lease> told = future;
        if (told == null) {
            return;
        }
        Object value = outcome;
        env.execute(() -> {
            if (value instanceof LeaseHandle lease) {
                if (!told.complete(lease)) {
                    lease.releaseAsync();
                }
            } else if (value instanceof Throwable failure) {
                told.completeExceptionally(failure);
            } else if (trying) {
                told.cancel(false);
            } else {
                told.completeExceptionally(notFree(env));
            }
        });
    }

    /** For a request that was not to wait and should throw. */
    LockTimeoutException notFree(Env env) {
        return new LockTimeoutException("lock '" + request.lockName() + "' is not free and the request was not to wait"
                + Text.obstacle(refusal) + " (store " + env.info.location() + ")");
    }
}
