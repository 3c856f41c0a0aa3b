package io.holdfast.engine;

import io.holdfast.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One release under way: decided once, awaited by threads and futures. */
final class ReleaseCall {
    private volatile @Nullable ReleaseOutcome outcome;
    private @Nullable Thread waiter;
    private @Nullable List<Thread> otherWaiters;
    private @Nullable List<CompletableFuture<ReleaseOutcome>> futures;

    /** Decides; false if it was decided before. */
    boolean decide(Env env, ReleaseOutcome value) {
        List<CompletableFuture<ReleaseOutcome>> told;
        synchronized (this) {
            if (outcome != null) {
                return false;
            }
            outcome = value;
            told = futures;
            if (waiter != null) {
                LockSupport.unpark(waiter);
            }
            if (otherWaiters != null) {
                otherWaiters.forEach(LockSupport::unpark);
            }
        }
        if (told != null) {
            env.execute(() -> told.forEach(future -> future.complete(value)));
        }
        return true;
    }

    /** Waits for at most one I/O timeout; then it is unknown. */
    ReleaseOutcome await(Env env) {
        ReleaseOutcome known = outcome;
        if (known != null) {
            return known;
        }
        synchronized (this) {
            if (waiter == null) {
                waiter = Thread.currentThread();
            } else {
                otherWaiters = otherWaiters == null ? new ArrayList<>() : otherWaiters;
                otherWaiters.add(Thread.currentThread());
            }
        }
        env.parkUntil(() -> outcome != null, env.ticker.nanos() + env.ioNanos);
        decide(env, ReleaseOutcome.UNKNOWN);
        ReleaseOutcome decided = outcome;
        return decided == null ? ReleaseOutcome.UNKNOWN : decided;
    }

    CompletableFuture<ReleaseOutcome> future() {
        CompletableFuture<ReleaseOutcome> future = new CompletableFuture<>();
        synchronized (this) {
            ReleaseOutcome known = outcome;
            if (known != null) {
                future.complete(known);
            } else {
                futures = futures == null ? new ArrayList<>() : futures;
                futures.add(future);
            }
        }
        return future;
    }
}
