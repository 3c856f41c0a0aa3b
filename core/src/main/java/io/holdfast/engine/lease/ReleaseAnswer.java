package io.holdfast.engine.lease;

import io.holdfast.ReleaseOutcome;
import io.holdfast.engine.runtime.Callbacks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The outcome of one release: decided once, awaited by threads and futures. */
public final class ReleaseAnswer {
    private final LeaseHandle lease;
    private volatile @Nullable ReleaseOutcome outcome;

    /** A thread to unpark, a future to complete, or a list of these. Guarded by this. */
    private @Nullable Object waiting;

    /** {@code caller} is the thread that waits for the outcome and may block for it; null if none does. */
    ReleaseAnswer(LeaseHandle lease, @Nullable Thread caller) {
        this.lease = lease;
        this.waiting = caller;
    }

    /** The grant of the lease that ends. */
    public HeldGrant grant() {
        return lease.grant();
    }

    /** Whether the calling thread began this release and waits for it, and so may block for it. */
    public synchronized boolean mayBlock() {
        return waiting == Thread.currentThread();
    }

    /**
     * The store's answer to the release, or {@link ReleaseOutcome#UNKNOWN}. {@code held} says that the lease was held
     * until the release was decided.
     */
    public void found(ReleaseOutcome found, boolean held) {
        ReleaseOutcome truth = !held && found == ReleaseOutcome.RELEASED ? ReleaseOutcome.EXPIRED : found;
        LeaseKeeper keeper = lease.grant().keeper();
        decide(keeper.callbacks(), truth);
        if (keeper.events().any()) {
            keeper.events().tell(listener -> listener.onReleased(lease, truth, lease.held()));
        }
    }

    /** Decides, unless it is decided. */
    void decide(Callbacks callbacks, ReleaseOutcome value) {
        Object told;
        synchronized (this) {
            if (outcome != null) {
                return;
            }
            outcome = value;
            told = waiting;
            waiting = null;
        }
        if (told instanceof List<?> several) {
            several.forEach(each -> tell(callbacks, each, value));
        } else if (told != null) {
            tell(callbacks, told, value);
        }
    }

    private static void tell(Callbacks callbacks, Object told, ReleaseOutcome value) {
        if (told instanceof Thread thread) {
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
        } else if (told instanceof Pending future) {
            callbacks.execute(() -> future.complete(value));
        }
    }

    /** The future of an asynchronous release. */
    private static final class Pending extends CompletableFuture<ReleaseOutcome> {}

    /** Waits for at most one I/O timeout; then the outcome is unknown. */
    ReleaseOutcome await() {
        ReleaseOutcome known = outcome;
        if (known != null) {
            return known;
        }
        synchronized (this) {
            addWaiting(Thread.currentThread());
        }
        LeaseKeeper keeper = lease.grant().keeper();
        keeper.awaitAnswer(() -> outcome != null);
        decide(keeper.callbacks(), ReleaseOutcome.UNKNOWN);
        ReleaseOutcome decided = outcome;
        return decided == null ? ReleaseOutcome.UNKNOWN : decided;
    }

    CompletableFuture<ReleaseOutcome> future() {
        Pending future = new Pending();
        synchronized (this) {
            ReleaseOutcome known = outcome;
            if (known != null) {
                future.complete(known);
            } else {
                addWaiting(future);
            }
        }
        return future;
    }

    private void addWaiting(Object added) {
        if (waiting == null || waiting == added) {
            waiting = added;
        } else {
            List<Object> all = new ArrayList<>(2);
            if (waiting instanceof List<?> several) {
                all.addAll(several);
            } else {
                all.add(waiting);
            }
            all.add(added);
            waiting = all;
        }
    }
}
