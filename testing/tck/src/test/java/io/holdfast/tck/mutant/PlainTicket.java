package io.holdfast.tck.mutant;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A place in the queue of a {@link PlainServer}. */
final class PlainTicket implements Ticket {
    final PlainStore store;
    final Claim claim;
    volatile long deadline;
    private final PlainServer server;
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();

    PlainTicket(PlainServer server, PlainStore store, Claim claim, long deadline) {
        this.server = server;
        this.store = store;
        this.claim = claim;
        this.deadline = deadline;
    }

    void grant(Granted grant) {
        granted.complete(grant);
    }

    @Override
    public CompletionStage<Granted> granted() {
        return granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        return CompletableFuture.completedFuture(server.cancel(this));
    }

    @Override
    public void extend(Duration wait) {
        deadline = server.time.nanos() + wait.toNanos();
    }
}
