package io.holdfast.engine.queue;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that answers nothing: tests of the pure queue answer in its place. */
final class StillStore implements LockStore {
    @Override
    public StoreInfo info() {
        return StoreInfo.of("still", "still");
    }

    @Override
    public void attach(StoreContext context) {}

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {}
}
