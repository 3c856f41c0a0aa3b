package io.holdfast.zookeeper;

import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.WatchableStore;
import io.holdfast.zookeeper.lease.TtlLimits;
import io.holdfast.zookeeper.session.Sessions;
import io.holdfast.zookeeper.single.SingleNodeLocks;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper as one ephemeral node per lock, which all waiting clients watch ({@code mode=single}). A release wakes
 * all of them and one wins: the herd effect. Exclusive mode only, no lock-delay, no order among waiting clients. See {@code
 * docs/stores/zookeeper.md}.
 */
public final class ZooKeeperSingleStore implements WatchableStore {
    private final Sessions sessions;
    private final ZooKeeperConfig config;
    private final TtlLimits limits;
    private @Nullable SingleNodeLocks locks;

    ZooKeeperSingleStore(Sessions sessions, ZooKeeperConfig config, String location) {
        this.sessions = sessions;
        this.config = config;
        this.limits = TtlLimits.of(usual(location), sessions, config.ioTimeout());
    }

    private static StoreInfo usual(String location) {
        StoreInfo usual = StoreInfo.of("zookeeper", location);
        return new StoreInfo(
                usual.kind(),
                location,
                usual.minTtl(),
                usual.maxTtl(),
                usual.maxNameLength(),
                EnumSet.of(Mode.EXCLUSIVE),
                false,
                usual.ioTimeout(),
                false,
                usual.pauseMin(),
                usual.pauseRandom());
    }

    @Override
    public StoreInfo info() {
        return limits.info();
    }

    @Override
    public void attach(StoreContext context) {
        locks = new SingleNodeLocks(sessions, limits, config.setup(info().location(), context));
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return locks().tryAcquire(claim);
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
    public Watch watch(String lockName, Runnable wake) {
        return locks().watch(lockName, wake);
    }

    @Override
    public void close() {
        if (locks == null) {
            sessions.close();
        } else {
            locks.close();
        }
    }

    private SingleNodeLocks locks() {
        SingleNodeLocks attached = locks;
        if (attached == null) {
            throw new IllegalStateException("the store is not attached to a client yet");
        }
        return attached;
    }
}
