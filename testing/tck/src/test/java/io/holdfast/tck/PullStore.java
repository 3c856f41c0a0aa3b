package io.holdfast.tck;

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
import java.util.concurrent.CompletionStage;

/** Hides every capability of a store but pull mode. */
public class PullStore implements LockStore {
    private final LockStore store;

    public PullStore(LockStore store) {
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
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return store.tryAcquire(claim);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return store.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return store.release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return store.inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return store.revoke(lockName, how);
    }

    @Override
    public void close() {
        store.close();
    }
}
