package io.holdfast.redis;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.redis.wire.Connector;
import io.holdfast.redis.wire.RedisWire;
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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks in Redis without pub/sub ({@code wait=pull}): whoever is refused asks again after a pause. For proxies and
 * managed servers that have no subscriptions. {@link RedisLockStore} adds the queue; both share one key layout and can
 * be used side by side, but a pull client has no place in the queue and lets those who wait there go first.
 */
public sealed class RedisPullStore implements MarkingStore permits RedisLockStore {
    private final Connector connector;
    private final RedisConfig config;
    private final StoreInfo info;
    private final RedisWire wire;
    private final @Nullable RedisWire waitingWire;
    final LockCalls calls;
    private volatile @Nullable StoreContext context;
    private volatile boolean open = true;

    RedisPullStore(Connector connector, RedisConfig config, String location) {
        this.connector = connector;
        this.config = config;
        this.info = StoreInfo.of("redis", location)
                .withIoTimeout(config.ioTimeout())
                .withPauses(config.pauseMin(), config.pauseRandom());
        RedisWire.Listener ear = new RedisWire.Listener() {
            @Override
            public void down() {
                wentDown();
            }

            @Override
            public void up() {
                cameUp();
            }
        };
        ServerCheck check = new ServerCheck(connector, location, config);
        this.wire = new RedisWire(connector, location, config.ioTimeout(), check, ear);
        this.waitingWire =
                config.replicas() == 0 ? null : new RedisWire(connector, location, config.ioTimeout(), check, ear);
        this.calls = new LockCalls(config, wire, waitingWire, connector.sharded());
    }

    /** Connects; the server is looked at before the connection is used. */
    void open() {
        try {
            if (config.replicas() > 0 && connector.sharded()) {
                throw new IllegalArgumentException(
                        "option replicas: WAIT answers for the connection that wrote, and the connection to a cluster"
                                + " chooses one for each call; leave it out and set min-replicas-to-write on the nodes,"
                                + " or use one primary with redis-sentinel://");
            }
            wire.open();
            if (waitingWire != null) {
                waitingWire.open();
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public final StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext value) {
        context = value;
    }

    @Override
    public final CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = ticker().nanos();
        return calls.take(claim, null, "-").thenCompose(reply -> {
            if (Replies.isGrant(reply)) {
                return CompletableFuture.completedFuture(Replies.grant(reply, sent));
            }
            AcquireResult refused = Replies.refused(reply);
            return claim.pause().isZero()
                    ? CompletableFuture.completedFuture(refused)
                    : calls.note(claim).handle((noted, failure) -> refused);
        });
    }

    @Override
    public final CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return calls.renew(claims, ticker()::nanos);
    }

    /** The notes are asked for in the same round trip; a release whose notes cannot be read is a release all the same. */
    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        CompletableFuture<Duration> pause = calls.longestPause(claim).exceptionally(unread -> Duration.ZERO);
        return calls.release(claim)
                .thenCombine(
                        pause,
                        (result, standBack) -> result instanceof ReleaseResult.Released && !standBack.isZero()
                                ? new ReleaseResult.Released(standBack)
                                : result);
    }

    @Override
    public final CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        if (query.prefix()) {
            return new LockScan(wire, calls, query.text(), query.limit())
                    .run(config.ioTimeout().toNanos());
        }
        return calls.inspect(query.text())
                .thenApply(status -> status.lastToken() == 0 && !status.held() ? List.of() : List.of(status));
    }

    @Override
    public final CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return calls.revoke(lockName, how);
    }

    @Override
    public final CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        if (sequencer.mode() == io.holdfast.Mode.PERMIT) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "permits cannot be fenced: the newest token does not make the others stale"));
        }
        return calls.admit(resource, sequencer);
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            wire.close();
            if (waitingWire != null) {
                waitingWire.close();
            }
            connector.close();
        }
    }

    final boolean isOpen() {
        return open;
    }

    final RedisConfig config() {
        return config;
    }

    final Connector connector() {
        return connector;
    }

    final Ticker ticker() {
        return attached().ticker();
    }

    final StoreContext attached() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached;
    }

    /** The connection was lost. */
    void wentDown() {
        StoreContext attached = context;
        if (attached != null && open) {
            attached.signals().disconnected();
        }
    }

    /** There is a connection again. */
    void cameUp() {
        StoreContext attached = context;
        if (attached != null && open) {
            attached.signals().connected();
        }
    }

    static StoreUnavailableException withdrawn(Claim claim) {
        return new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName()
                        + "' was withdrawn before it arrived; ask again with a new holder id",
                false,
                null);
    }
}
