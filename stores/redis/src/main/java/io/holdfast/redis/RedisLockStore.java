package io.holdfast.redis;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.redis.claim.BatchedCalls;
import io.holdfast.redis.claim.CallContext;
import io.holdfast.redis.claim.LockCalls;
import io.holdfast.redis.claim.TicketRegistry;
import io.holdfast.redis.wire.ClientConnector;
import io.holdfast.redis.wire.ClusterConnector;
import io.holdfast.redis.wire.Connector;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Locks in Redis with a queue. A claim that finds the lock held enters the queue in the same call. The script that ends a
 * grant hands the lock to the first live waiter and sends a message to the client of that waiter. See {@code
 * docs/stores/redis.md}.
 */
public final class RedisLockStore implements QueueingStore, MarkingStore {
    private final RedisDeployment deployment;
    private final LockCalls calls;
    private final BatchedCalls batched;
    private final TicketRegistry tickets;

    RedisLockStore(RedisDeployment deployment) {
        this.deployment = deployment;
        CallContext context = deployment.calls();
        this.calls = new LockCalls(context);
        this.batched = new BatchedCalls(context);
        this.tickets = new TicketRegistry(context, calls, batched, deployment.connector());
        deployment.whenReconnected(tickets::reconnected);
    }

    /**
     * Over a client that is open already and that the caller closes. Its connections stay its own: the store opens
     * its own through it.
     *
     * @param client the client; its options stay as they are
     * @param uri where the server, or its Sentinel, is
     * @param namespace separates users of one Redis; empty for none
     */
    public static LockStore over(RedisClient client, RedisURI uri, String namespace) {
        String location = "redis://"
                + (uri.getSentinelMasterId() == null ? uri.getHost() + ":" + uri.getPort() : uri.getSentinelMasterId());
        return opened(ClientConnector.over(client, uri), RedisConfig.in(namespace), location);
    }

    /** As {@link #over(RedisClient, RedisURI, String)}, for a cluster. */
    public static LockStore over(RedisClusterClient client, String namespace) {
        return opened(ClusterConnector.over(client), RedisConfig.in(namespace), "redis-cluster:");
    }

    static LockStore opened(Connector connector, RedisConfig config, String location) {
        RedisDeployment deployment = new RedisDeployment(connector, config, location);
        LockStore store = config.pull() ? new RedisPullStore(deployment) : new RedisLockStore(deployment);
        deployment.open();
        return store;
    }

    @Override
    public StoreInfo info() {
        return deployment.info();
    }

    @Override
    public void attach(StoreContext context) {
        deployment.attach(context);
        tickets.attach(context.scheduler());
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return calls.tryAcquire(claim);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        return tickets.enqueue(claim, wait);
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        return tickets.exchange(held, next, wait);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return batched.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        tickets.forget(claim);
        return calls.release(claim);
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
        if (deployment.isOpen()) {
            tickets.close();
            deployment.close();
        }
    }
}
