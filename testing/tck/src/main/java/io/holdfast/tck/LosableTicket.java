package io.holdfast.tck;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A ticket of a store's queue that a test can take from its client. Thread-safe. */
final class LosableTicket implements Ticket {
    private final Ticket target;
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();

    LosableTicket(Ticket target) {
        this.target = target;
        target.granted().whenComplete((grant, failure) -> {
            if (failure == null) {
                granted.complete(grant);
            } else {
                granted.completeExceptionally(failure);
            }
        });
    }

    /** The store leaves the place; then the client is told. */
    void lose() throws InterruptedException {
        ContractClient.answer(target.cancel());
        granted.completeExceptionally(new StoreUnavailableException("the network: the place was lost", false, null));
    }

    @Override
    public CompletionStage<Granted> granted() {
        return granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        return target.cancel();
    }

    @Override
    public void extend(Duration wait) {
        target.extend(wait);
    }
}
