package io.holdfast.redis;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.redis.claim.BatchedCalls;
import io.holdfast.redis.claim.CallContext;
import io.holdfast.redis.claim.LockCalls;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Locks in Redis without pub/sub ({@code wait=pull}): a refused claim is asked again after a pause. For proxies and
 * managed servers that have no subscriptions. It has the keys of {@link RedisLockStore}, and both can be used side by
 * side; a claim of this store has no place in the queue, and the claims that wait there go first.
 */
final class RedisPullStore implements MarkingStore {
    private final RedisDeployment deployment;
    private final LockCalls calls;
    private final BatchedCalls batched;

    RedisPullStore(RedisDeployment deployment) {
        this.deployment = deployment;
        CallContext context = deployment.calls();
        this.calls = new LockCalls(context);
        this.batched = new BatchedCalls(context);
    }

    @Override
    public StoreInfo info() {
        return deployment.info();
    }

    @Override
    public void attach(StoreContext context) {
        deployment.attach(context);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return calls.tryAcquire(claim);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return batched.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return calls.releaseAndReadNotes(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return calls.inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return calls.revoke(lockName, how);
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        return calls.admit(resource, sequencer);
    }

    @Override
    public void close() {
        deployment.close();
    }
}
