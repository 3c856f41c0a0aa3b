package io.holdfast.zookeeper;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;

/**
 * Locks in ZooKeeper: a claim is an ephemeral sequential node, whoever stands first holds, and each waiter watches only
 * the one before it. See {@code docs/stores/zookeeper.md}.
 */
public final class ZooKeeperLockStore extends SessionStore<Place> implements QueueingStore {
    private static final long GRACE_MILLIS = 60_000;

    private final SeenDelays delays = new SeenDelays();
    private OldDelays oldDelays = new OldDelays(this, GRACE_MILLIS);

    private ZooKeeperLockStore(Sessions sessions, ZooKeeperConfig config, String location) {
        super(sessions, config, StoreInfo.of("zookeeper", location));
    }

    /**
     * Over a client that is open already and that the caller closes. Its session carries every lease, so a TTL is not
     * shorter than its timeout: such a request is refused, because the lock of a dead process would stay closed for the
     * whole session. A lease with a longer TTL lasts as long without contact as the session does. When the session ends
     * the store is at its end too. Several stores may use one client.
     *
     * @param client a connected client
     * @param root the node below which everything is, as in {@code /holdfast}; below the client's own chroot
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
        return opened(Connector.own(config, location), config, location);
    }

    private static LockStore opened(Connector connector, ZooKeeperConfig config, String location) {
        Sessions sessions = Sessions.open(connector, config, location);
        return config.single()
                ? new ZooKeeperSingleStore(sessions, config, location)
                : new ZooKeeperLockStore(sessions, config, location);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        Place known = places.get(claim.holder());
        if (known != null) {
            Granted grant = known.granted(now());
            return grant != null ? CompletableFuture.completedFuture(grant) : tried(known, claim);
        }
        if (tombstones.has(claim.holder(), now())) {
            return CompletableFuture.completedFuture(new Refused(null, null, false, null));
        }
        RuntimeException unfit = unfit(claim);
        if (unfit != null) {
            return CompletableFuture.failedFuture(unfit);
        }
        CompletableFuture<AcquireResult> result = new CompletableFuture<>();
        inSession(claim, result, session -> {
            Place place = register(session, claim, true, Duration.ZERO);
            tell(place, result);
            place.create();
        });
        return pending().bounded(result, what(claim));
    }

    private CompletableFuture<AcquireResult> tried(Place place, Claim claim) {
        CompletableFuture<AcquireResult> result = new CompletableFuture<>();
        tell(place, result);
        return pending().bounded(result, what(claim));
    }

    /** What became of a try: a grant, a refusal, or a failure. */
    private static void tell(Place place, CompletableFuture<AcquireResult> result) {
        place.answer().whenComplete((answer, failure) -> {
            if (answer instanceof Granted grant) {
                result.complete(grant);
            } else if (failure != null) {
                result.completeExceptionally(failure);
            }
        });
        place.refusal().whenComplete((refused, failure) -> {
            if (refused != null) {
                result.complete(refused);
            } else if (failure != null) {
                result.completeExceptionally(failure);
            }
        });
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        Place known = places.get(claim.holder());
        if (known != null) {
            Granted grant = known.granted(now());
            return grant != null
                    ? CompletableFuture.completedFuture(grant)
                    : pending().boundedCopy(known.answer(), what(claim));
        }
        if (tombstones.has(claim.holder(), now())) {
            return CompletableFuture.failedFuture(withdrawn(claim));
        }
        RuntimeException unfit = unfit(claim);
        if (unfit != null) {
            return CompletableFuture.failedFuture(unfit);
        }
        CompletableFuture<EnqueueResult> result = new CompletableFuture<>();
        inSession(claim, result, session -> {
            Place place = register(session, claim, false, wait);
            place.answer().whenComplete((answer, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(unwrapped(failure));
                } else {
                    result.complete(answer);
                }
            });
            place.create();
        });
        return pending().bounded(result, what(claim));
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        Place old = places.get(held.holder());
        Session session = sessions.ready(next.ttl());
        boolean fresh = !places.containsKey(next.holder()) && !tombstones.has(next.holder(), now());
        if (old == null
                || session == null
                || old.session != session
                || !fresh
                || unfit(next) != null
                || !old.beginExchange()) {
            return release(held)
                    .thenCompose(released -> enqueue(next, wait).thenApply(answer -> new Exchanged(released, answer)));
        }
        tombstones.add(held.holder(), now());
        Place place = register(session, next, false, wait);
        CompletableFuture<Exchanged> result = new CompletableFuture<>();
        place.answer().whenComplete((answer, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else {
                old.release().whenComplete((released, unknown) -> {
                    if (unknown != null) {
                        result.completeExceptionally(unknown);
                    } else {
                        result.complete(new Exchanged(released, answer));
                    }
                });
            }
        });
        swap(session, old, place);
        return pending().bounded(result, what(next));
    }

    /** Deletes the old node, creates the new one at the end of the line and writes a heartbeat, in one step (U5). */
    private void swap(Session session, Place old, Place place) {
        List<Op> ops = new ArrayList<>(old.deletions());
        int creation = ops.size();
        ops.add(Op.create(
                paths().name(place.claim.lockName()) + "/" + NodeName.prefix(place.claim),
                ClaimData.of(place.claim, id),
                acl(),
                CreateMode.EPHEMERAL_SEQUENTIAL));
        // The answer to a creation inside of a transaction does not tell its zxid; that to a write does.
        ops.add(Op.setData(session.clientNode(), new byte[0], -1));
        boolean alone = old.isFamiliar();
        int attempt = place.expectCreation(alone);
        long sent = now();
        session.zk.multi(
                ops,
                (int rc, String path, Object ctx, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue()
                            && results.get(creation) instanceof OpResult.CreateResult created
                            && results.get(creation + 1) instanceof OpResult.SetDataResult written) {
                        session.proved(sent);
                        old.exchanged(true);
                        place.createdBy(created.getPath(), written.getStat().getMzxid());
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        // The caller will release both; each is looked for by itself when the connection is back.
                        old.unanswered();
                        old.exchanged(false);
                        session.onceConnected(place::search);
                    } else {
                        old.exchanged(false);
                        place.create();
                    }
                },
                null);
        if (!alone) {
            place.list(attempt);
        }
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        tombstones.add(claim.holder(), now());
        String what = "releasing lock '" + claim.lockName() + "'";
        Place place = places.get(claim.holder());
        if (place != null && place.claim.lockName().equals(claim.lockName())) {
            return pending().boundedCopy(place.release(), what);
        }
        Session usual = sessions.ready(claim.ttl());
        Session session = usual == null ? sessions.any() : usual;
        if (session == null) {
            return CompletableFuture.failedFuture(noSession());
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        new LateRelease(this, session, claim, result).start();
        return pending().bounded(result, what);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        Session session = sessions.any();
        if (session == null) {
            return CompletableFuture.failedFuture(noSession());
        }
        CompletableFuture<List<LockStatus>> result = new CompletableFuture<>();
        new Inspection(this, session, query, result).start();
        return pending().bounded(result, "inspecting '" + query.text() + "'");
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        Session session = sessions.any();
        if (session == null) {
            return CompletableFuture.failedFuture(noSession());
        }
        CompletableFuture<RevokeResult> result = new CompletableFuture<>();
        new Revoking(this, session, lockName, how, result).start();
        return pending().bounded(result, "revoking lock '" + lockName + "'");
    }

    SeenDelays delays() {
        return delays;
    }

    OldDelays oldDelays() {
        return oldDelays;
    }

    /** For tests: lock-delays are removed so long after their end. */
    void removeOldDelaysAfter(long millis) {
        oldDelays = new OldDelays(this, millis);
    }

    /** Fails if the claim was withdrawn, or if its session has ended, since it was asked for. */
    private Place register(Session session, Claim claim, boolean trying, Duration wait) {
        Place place = new Place(this, session, claim, trying, wait);
        places.put(claim.holder(), place);
        // A release that comes now finds the place; one that came before has left a tombstone.
        if (session.isOver() || tombstones.has(claim.holder(), now())) {
            forget(place);
            throw session.isOver() ? noSession() : withdrawn(claim);
        }
        return place;
    }
}
