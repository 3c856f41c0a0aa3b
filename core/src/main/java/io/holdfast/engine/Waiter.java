package io.holdfast.engine;

import io.holdfast.Holder;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.Scheduler;
import io.holdfast.spi.Refused;
import java.time.Duration;
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

    /** The thread that is parked, or the future. */
    private final Object who;

    /** Guarded by the queue's monitor. */
    @Nullable
    Contest contest;

    /** What was in the way when the store last said so. */
    private volatile @Nullable Refusal refusal;

    /** Read by the waiting thread. */
    volatile long deadline;

    private volatile @Nullable Object outcome;

    private Waiter(Request request, long now, Object who) {
        this.request = request;
        this.arrived = now;
        this.deadline = now + request.waitNanos();
        this.who = who;
    }

    /** Of a thread that parks until it is decided. */
    static Waiter of(Request request, long now, Thread thread) {
        return new Waiter(request, now, thread);
    }

    /** Of a future; {@code trying} says that a refusal completes it as cancelled, not with a timeout. */
    static Waiter of(Request request, long now, Pending future) {
        return new Waiter(request, now, future);
    }

    /** The future of an asynchronous request. */
    static final class Pending extends CompletableFuture<Lease> {
        private final boolean trying;

        /** The end of the wait; guarded by the queue's monitor. */
        Scheduler.@Nullable Timer timer;

        Pending(boolean trying) {
            this.trying = trying;
        }
    }

    private record Refusal(Refused because, long at) {}

    /** Something is in the way, as of {@code now}. */
    void refusedFor(Refused because, long now) {
        refusal = new Refusal(because, now);
    }

    /** What is in the way, as the end of a sentence; empty if nothing is known. */
    String obstacle(long now) {
        Refusal last = refusal;
        return last == null ? "" : Text.obstacle(last.because, now - last.at);
    }

    /** The holder that is in the way, if one is known. */
    @Nullable
    Holder holder(long now) {
        Refusal last = refusal;
        return last == null ? null : Text.holder(last.because, now - last.at);
    }

    /** How long what is in the way lasts at most unless it is renewed, if it is known. */
    @Nullable
    Duration remaining(long now) {
        Refusal last = refusal;
        return last == null ? null : Text.remaining(last.because, now - last.at);
    }

    @Nullable
    Thread thread() {
        return who instanceof Thread thread ? thread : null;
    }

    /** The future, if no thread waits. */
    @Nullable
    Pending pending() {
        return who instanceof Pending pending ? pending : null;
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
        if (who instanceof Pending pending && pending.timer != null) {
            pending.timer.cancel();
            pending.timer = null;
        }
    }

    /** Outside of every monitor, after {@link #decide}. */
    void deliver(Env env) {
        if (who instanceof Thread thread) {
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
            return;
        }
        Pending told = (Pending) who;
        Object value = outcome;
        env.execute(() -> {
            if (value instanceof LeaseHandle lease) {
                if (!told.complete(lease)) {
                    lease.releaseAsync();
                }
            } else if (value instanceof Throwable failure) {
                told.completeExceptionally(failure);
            } else if (told.trying) {
                told.cancel(false);
            } else {
                told.completeExceptionally(notFree(env));
            }
        });
    }

    /** For a request that was not to wait and should throw. */
    LockTimeoutException notFree(Env env) {
        long now = env.ticker.nanos();
        return new LockTimeoutException(
                "lock '" + request.lockName() + "' is not free and the request was not to wait" + obstacle(now)
                        + " (store " + env.info.location() + ")",
                request.lockName(),
                holder(now),
                remaining(now));
    }
}
