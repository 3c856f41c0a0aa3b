package io.holdfast.bench.engine;

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

/** Passes every verb on and counts it. Pull mode only: holding leases needs no queue. */
public final class CountedStore implements LockStore {
    private final LockStore store;
    private final TickCount ticks;

    public CountedStore(LockStore store, TickCount ticks) {
        this.store = store;
        this.ticks = ticks;
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
        ticks.called(1);
        return store.tryAcquire(claim);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        ticks.called(claims.size());
        return store.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        ticks.called(1);
        return store.release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        ticks.called(1);
        return store.inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        ticks.called(1);
        return store.revoke(lockName, how);
    }

    @Override
    public void close() {
        store.close();
    }
}
