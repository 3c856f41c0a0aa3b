package io.holdfast.engine;

import io.holdfast.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One release under way: decided once, awaited by threads and futures. It hears the store's answer itself, and the
 * lease is its own release call, so that an uncontended release makes nothing.
 */
abstract class ReleaseCall implements Consumer<ReleaseOutcome> {
    /** Whether the lease was held until the release was sent. */
    private boolean held = true;

    /** Who contends after the answer. */
    private @Nullable Contest next;

    private volatile @Nullable ReleaseOutcome outcome;

    /** Threads to unpark and futures to complete. */
    private @Nullable List<Object> waiting;

    /** The lease whose entry ends. */
    abstract LeaseHandle ending();

    /** Before the release is sent. */
    ReleaseCall prepare(boolean wasHeld, @Nullable Contest then) {
        held = wasHeld;
        next = then;
        return this;
    }

    @Nullable
    Contest next() {
        return next;
    }

    /** The store's answer. */
    @Override
    public void accept(ReleaseOutcome found) {
        LeaseHandle lease = ending();
        Env env = lease.hold.queue.env;
        ReleaseOutcome truth = !held && found == ReleaseOutcome.RELEASED ? ReleaseOutcome.EXPIRED : found;
        decide(env, truth);
        if (env.events.any) {
            env.events.tell(listener -> listener.onReleased(lease, truth, lease.held()));
        }
        Contest then = next;
        if (then != null) {
            then.ask(false);
        }
    }

    /** Decides; false if it was decided before. */
    boolean decide(Env env, ReleaseOutcome value) {
        List<Object> told;
        synchronized (this) {
            if (outcome != null) {
                return false;
            }
            outcome = value;
            told = waiting;
            waiting = null;
        }
        for (Object each : told == null ? List.of() : told) {
            if (each instanceof Thread thread) {
                LockSupport.unpark(thread);
            } else if (each instanceof Answer future) {
                env.execute(() -> future.complete(value));
            }
        }
        return true;
    }

    /** The future of an asynchronous release. */
    private static final class Answer extends CompletableFuture<ReleaseOutcome> {}

    /** Waits for at most one I/O timeout; then it is unknown. */
    ReleaseOutcome await(Env env) {
        ReleaseOutcome known = outcome;
        if (known != null) {
            return known;
        }
        synchronized (this) {
            waiting().add(Thread.currentThread());
        }
        env.parkUntil(() -> outcome != null, env.ticker.nanos() + env.ioNanos);
        decide(env, ReleaseOutcome.UNKNOWN);
        ReleaseOutcome decided = outcome;
        return decided == null ? ReleaseOutcome.UNKNOWN : decided;
    }

    CompletableFuture<ReleaseOutcome> future() {
        Answer future = new Answer();
        synchronized (this) {
            ReleaseOutcome known = outcome;
            if (known != null) {
                future.complete(known);
            } else {
                waiting().add(future);
            }
        }
        return future;
    }

    private List<Object> waiting() {
        List<Object> known = waiting;
        if (known == null) {
            known = new ArrayList<>(1);
            waiting = known;
        }
        return known;
    }
}
