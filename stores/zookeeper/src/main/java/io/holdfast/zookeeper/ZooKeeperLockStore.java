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
    private final SeenDelays delays = new SeenDelays();

    private ZooKeeperLockStore(SessionHolder sessions, ZooKeeperConfig config, String location) {
        super(sessions, config, StoreInfo.of("zookeeper", location));
    }

    /**
     * Over a client that is open already and that the caller closes. Its session is the leases' session: it decides how
     * long they last, and when it ends the store is at its end too.
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
        SessionHolder sessions = SessionHolder.open(connector, config, location);
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
        Place place = register(claim, true, Duration.ZERO);
        place.create();
        return tried(place, claim);
    }

    private CompletableFuture<AcquireResult> tried(Place place, Claim claim) {
        CompletableFuture<AcquireResult> result = new CompletableFuture<>();
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
        return pending().bounded(result, "acquiring lock '" + claim.lockName() + "'");
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        return enqueue(claim, wait, false);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueueAndWait(Claim claim, Duration wait) {
        return enqueue(claim, wait, true);
    }

    private CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait, boolean here) {
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
        Place place = register(claim, false, wait);
        if (!here || !place.createHere()) {
            place.create();
        }
        return pending().bounded(place.answer(), what(claim));
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        Place old = places.get(held.holder());
        Session session = sessions.current();
        boolean fresh = !places.containsKey(next.holder()) && !tombstones.has(next.holder(), now());
        if (old == null || old.session != session || !fresh || unfit(next) != null || !old.beginExchange()) {
            return release(held)
                    .thenCompose(released -> enqueue(next, wait).thenApply(answer -> new Exchanged(released, answer)));
        }
        tombstones.add(held.holder(), now());
        Place place = register(next, false, wait);
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
                ClaimData.of(place.claim),
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
        Session session = sessions.current();
        if (session == null) {
            return CompletableFuture.failedFuture(noSession());
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        new LateRelease(this, session, claim, result).start();
        return pending().bounded(result, what);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseAndWait(Claim claim) {
        tombstones.add(claim.holder(), now());
        Place place = places.get(claim.holder());
        CompletableFuture<ReleaseResult> ended =
                place != null && place.claim.lockName().equals(claim.lockName()) ? place.releaseHere() : null;
        return ended != null && ended.isDone() ? ended : release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        Session session = sessions.current();
        if (session == null) {
            return CompletableFuture.failedFuture(noSession());
        }
        CompletableFuture<List<LockStatus>> result = new CompletableFuture<>();
        new Inspection(this, session, query, result).start();
        return pending().bounded(result, "inspecting '" + query.text() + "'");
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        Session session = sessions.current();
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

    private Place register(Claim claim, boolean trying, Duration wait) {
        Session session = sessions.current();
        if (session == null) {
            throw noSession();
        }
        Place place = new Place(this, session, claim, trying, wait);
        places.put(claim.holder(), place);
        if (session.isOver()) {
            forget(place);
            throw noSession();
        }
        return place;
    }
}
