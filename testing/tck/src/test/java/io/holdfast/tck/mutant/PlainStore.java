package io.holdfast.tck.mutant;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A client of a {@link PlainServer}. */
final class PlainStore implements QueueingStore, MarkingStore {
    private final PlainServer server;

    PlainStore(PlainServer server) {
        this.server = server;
    }

    @Override
    public StoreInfo info() {
        return StoreInfo.of("plain", "plain:");
    }

    @Override
    public void attach(StoreContext context) {}

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        server.beforeTheLock(claim);
        return CompletableFuture.completedFuture(server.acquire(claim));
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        return CompletableFuture.completedFuture(server.enqueue(this, claim, wait));
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        return CompletableFuture.completedFuture(server.exchange(this, held, next, wait));
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        List<RenewResult> results = new ArrayList<>();
        claims.forEach(claim -> results.add(server.renew(claim)));
        return CompletableFuture.completedFuture(results);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return CompletableFuture.completedFuture(server.release(claim));
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        server.look(query.text());
        return CompletableFuture.completedFuture(server.inspect(query));
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return CompletableFuture.completedFuture(server.revoke(lockName, how));
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        return CompletableFuture.completedFuture(server.admit(resource, sequencer));
    }

    @Override
    public void close() {
        server.leave(this);
    }
}
