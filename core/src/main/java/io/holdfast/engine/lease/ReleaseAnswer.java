package io.holdfast.engine.lease;

import io.holdfast.ReleaseOutcome;
import io.holdfast.engine.runtime.Callbacks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The outcome of one release: decided once, awaited by threads and futures. */
public final class ReleaseAnswer implements Releases.Told {
    private final LeaseHandle lease;

    /** The thread that waits for the outcome and may block for it; null if the release is asynchronous. */
    private final @Nullable Thread caller;

    /** Whether the lease was held until the release was decided. */
    private boolean held = true;

    /** Whether the queue waits for the answer. */
    private boolean awaited;

    private volatile @Nullable ReleaseOutcome outcome;

    /** Threads to unpark and futures to complete. */
    private @Nullable List<Object> waiting;

    ReleaseAnswer(LeaseHandle lease, @Nullable Thread caller) {
        this.lease = lease;
        this.caller = caller;
    }

    /**
     * Before the release is sent.
     *
     * @param wasHeld whether the lease was held until now
     * @param isAwaited whether {@link GrantOwner#released} is to be called after the answer
     */
    public void prepare(boolean wasHeld, boolean isAwaited) {
        held = wasHeld;
        awaited = isAwaited;
    }

    /** Whether the calling thread waits for this release, and so may block for it. */
    public boolean mayBlock() {
        return caller == Thread.currentThread();
    }

    /** The store's answer to the release, or {@link ReleaseOutcome#UNKNOWN}. */
    @Override
    public void accept(ReleaseOutcome found) {
        ReleaseOutcome truth = !held && found == ReleaseOutcome.RELEASED ? ReleaseOutcome.EXPIRED : found;
        LeaseKeeper keeper = lease.grant().keeper();
        decide(keeper.callbacks(), truth);
        if (keeper.events().any()) {
            keeper.events().tell(listener -> listener.onReleased(lease, truth, lease.held()));
        }
        if (awaited) {
            lease.grant().owner().released(lease.grant());
        }
    }

    /** Decides, unless it is decided. */
    void decide(Callbacks callbacks, ReleaseOutcome value) {
        List<Object> told;
        synchronized (this) {
            if (outcome != null) {
                return;
            }
            outcome = value;
            told = waiting;
            waiting = null;
        }
        for (Object each : told == null ? List.of() : told) {
            if (each instanceof Thread thread) {
                LockSupport.unpark(thread);
            } else if (each instanceof Pending future) {
                callbacks.execute(() -> future.complete(value));
            }
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
            waiting().add(Thread.currentThread());
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
