package io.holdfast.engine.queue;

import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;

/** The future of an asynchronous request. */
public final class PendingLease extends CompletableFuture<Lease> {
    private final boolean trying;

    /** {@code trying} says that a refusal completes it as cancelled, not with a timeout. */
    public PendingLease(boolean trying) {
        this.trying = trying;
    }

    boolean trying() {
        return trying;
    }
}
