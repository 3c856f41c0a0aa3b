package io.holdfast.memory;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A place in the queue of a {@link Stripe}. It is alive until its wait ends, it is cancelled, or its store is closed.
 *
 * <p>Once {@link #cancel()} has begun no grant is delivered here any more, except one whose delivery was under way at
 * that moment; cancel has then released it and says so.
 */
final class MemoryTicket implements Ticket {
    final MemoryLockStore store;
    final Claim claim;
    private final Stripe stripe;
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();
    private volatile boolean cancelled;

    MemoryTicket(MemoryLockStore store, Stripe stripe, Claim claim) {
        this.store = store;
        this.stripe = stripe;
        this.claim = claim;
    }

    @Override
    public CompletionStage<Granted> granted() {
        return granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        cancelled = true;
        return CompletableFuture.completedFuture(stripe.release(claim));
    }

    @Override
    public void extend(Duration wait) {
        if (!stripe.extend(claim, wait) && !granted.isDone()) {
            placeLost("its wait had ended before it was extended");
        }
    }

    void deliver(Granted grant) {
        if (!cancelled) {
            granted.complete(grant);
        }
    }

    void placeLost(String why) {
        granted.completeExceptionally(new StoreUnavailableException(
                "the place of " + claim.label() + " in the queue of lock '" + claim.lockName() + "' is gone: " + why,
                false,
                null));
    }
}
