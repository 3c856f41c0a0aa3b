package io.holdfast.zookeeper;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.zookeeper.claim.LineLocks;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.lease.TtlLimits;
import io.holdfast.zookeeper.session.Connector;
import io.holdfast.zookeeper.session.Sessions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper: a claim is an ephemeral sequential node, the claim that is first in line holds, and each waiter watches
 * only the claim before it. See {@code docs/stores/zookeeper.md}.
 */
public final class ZooKeeperLockStore implements QueueingStore {
    private final Sessions sessions;
    private final ZooKeeperConfig config;
    private final TtlLimits limits;
    private @Nullable StoreSetup setup;
    private @Nullable LineLocks locks;

    private ZooKeeperLockStore(Sessions sessions, ZooKeeperConfig config, String location) {
        this.sessions = sessions;
        this.config = config;
        this.limits = TtlLimits.of(StoreInfo.of("zookeeper", location), sessions, config.ioTimeout());
    }

    /**
     * Over a client that the application has opened and closes. Its session carries every lease, so a TTL is not shorter than
     * its timeout: such a request is refused, because the lock of a dead process would stay closed for the whole session. A
     * lease with a longer TTL lasts as long without contact as the session does. When the session has ended, the store cannot
     * be used any more. Several stores may use one client.
     *
     * @param client a connected client
     * @param root the node below which all nodes are, as in {@code /holdfast}; below the client's own chroot
     * @param namespace separates users of one root; empty for none
     */
    public static LockStore over(ZooKeeper client, String root, String namespace) {
        ZooKeeperConfig config = new ZooKeeperConfig(
                "",
                root,
                namespace,
                Duration.ofMillis(Math.max(100, client.getSessionTimeout())),
                ZooKeeperConfig.DEFAULT_IO_TIMEOUT,
                false,
                0,
                null,
                null);
        String location = "zk:" + root;
        return opened(Connector.over(client, location), config, location);
    }

    static LockStore opened(ZooKeeperConfig config, String location) {
        Connector connector = Connector.own(config.servers(), config.clientConfig(), config.credentials(), location);
        return opened(connector, config, location);
    }

    private static LockStore opened(Connector connector, ZooKeeperConfig config, String location) {
        Sessions sessions = Sessions.open(connector, config.sessionSettings(location));
        return config.single()
                ? new ZooKeeperSingleStore(sessions, config, location)
                : new ZooKeeperLockStore(sessions, config, location);
    }

    @Override
    public StoreInfo info() {
        return limits.info();
    }

    @Override
    public void attach(StoreContext context) {
        setup = config.setup(info().location(), context);
        locks = new LineLocks(sessions, limits, setup);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return locks().tryAcquire(claim);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        return locks().enqueue(claim, wait);
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        return locks().exchange(held, next, wait);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return locks().renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return locks().release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return locks().inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return locks().revoke(lockName, how);
    }

    @Override
    public void close() {
        if (locks == null) {
            sessions.close();
        } else {
            locks.close();
        }
    }

    /** The id that is written into every node of this attached store; for tests. */
    String id() {
        if (setup == null) {
            throw new IllegalStateException("the store is not attached to a client yet");
        }
        return setup.id();
    }

    /** The verbs over the client that this store is attached to. */
    LineLocks locks() {
        LineLocks attached = locks;
        if (attached == null) {
            throw new IllegalStateException("the store is not attached to a client yet");
        }
        return attached;
    }
}
