package io.holdfast.engine.queue;

import io.holdfast.Lease;
import io.holdfast.Scheduler;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The future of an asynchronous request. */
public final class PendingLease extends CompletableFuture<Lease> {
    private final boolean trying;

    /** Ends the wait; guarded by the queue. */
    private Scheduler.@Nullable Timer timer;

    /** {@code trying} says that a refusal completes it as cancelled, not with a timeout. */
    public PendingLease(boolean trying) {
        this.trying = trying;
    }

    boolean trying() {
        return trying;
    }

    Scheduler.@Nullable Timer timer() {
        return timer;
    }

    Scheduler.@Nullable Timer replaceTimer(Scheduler.Timer armed) {
        Scheduler.Timer before = timer;
        timer = armed;
        return before;
    }
}
