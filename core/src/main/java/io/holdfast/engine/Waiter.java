package io.holdfast.engine;

import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import io.holdfast.spi.Refused;
import io.holdfast.spi.WaitingThread;
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

    /** What the store said last was in the way. */
    volatile @Nullable Refused refusal;

    /** Read by the waiting thread. */
    volatile long deadline;

    private volatile @Nullable Object outcome;

    /** What brings the thread back from the store that has borrowed it. */
    private volatile @Nullable Runnable wake;

    /** What is done when the thread, which is lent, has gone on. Only that thread adds to it. */
    private volatile @Nullable Runnable afterwards;

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

    @Nullable
    Thread thread() {
        return who instanceof Thread thread ? thread : null;
    }

    /** The future, if no thread waits. */
    @Nullable
    Pending pending() {
        return who instanceof Pending pending ? pending : null;
    }

    /**
     * Leaves a task for when the thread has gone on with what it waited for; false if this is not that thread, or it is not
     * lent. To wake a timer or another thread takes as long as a good part of a hand-off.
     */
    boolean afterwards(Runnable task) {
        if (who != Thread.currentThread() || wake == null) {
            return false;
        }
        Runnable before = afterwards;
        afterwards = before == null
                ? task
                : () -> {
                    before.run();
                    task.run();
                };
        return true;
    }

    /** Its thread, for a store that can use it. */
    WaitingThread lent(Ticker ticker) {
        return new WaitingThread() {
            @Override
            public boolean waits() {
                return waiting();
            }

            @Override
            public long nanosLeft() {
                return deadline - ticker.nanos();
            }

            @Override
            public void wokenBy(@Nullable Runnable value) {
                wake = value;
            }

            @Override
            public void afterwards() {
                Runnable due = afterwards;
                if (due != null) {
                    afterwards = null;
                    due.run();
                }
            }
        };
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
                Runnable back = wake;
                if (back != null) {
                    back.run();
                }
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
        Refused last = refusal;
        return new LockTimeoutException(
                "lock '" + request.lockName() + "' is not free and the request was not to wait" + Text.obstacle(last)
                        + " (store " + env.info.location() + ")",
                request.lockName(),
                Text.holder(last),
                Text.remaining(last));
    }
}
