package io.holdfast.spi.support;

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

/** A store that is only looked at (U31). Every verb that would change something fails without a call to the store. */
public final class ReadOnlyStore implements LockStore {
    private final LockStore store;

    /** Over a store, of which it becomes the owner. */
    public ReadOnlyStore(LockStore store) {
        this.store = store;
    }

    @Override
    public StoreInfo info() {
        return store.info();
    }

    @Override
    public void attach(StoreContext context) {
        store.attach(context);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return store.inspect(query);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return refused();
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return refused();
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return refused();
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return refused();
    }

    private <T> CompletionStage<T> refused() {
        return CompletableFuture.failedFuture(new IllegalStateException(
                "the store " + info().location() + " was opened with readOnly=true: it can only be looked at"));
    }

    @Override
    public void close() {
        store.close();
    }
}
