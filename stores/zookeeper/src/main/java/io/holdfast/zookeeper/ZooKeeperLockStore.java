package io.holdfast.zookeeper;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Revocation;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper: a claim is an ephemeral sequential node, whoever stands first holds, and each waiter watches only
 * the one before it. See {@code docs/stores/zookeeper.md}.
 */
public final class ZooKeeperLockStore implements QueueingStore {
    private final SessionHolder sessions;
    private final ZooKeeperConfig config;
    private final List<ACL> acl;
    private final StoreInfo info;
    private final Paths paths;
    private final ConcurrentMap<HolderId, Place> places = new ConcurrentHashMap<>();
    private final Tombstones tombstones = new Tombstones();
    private final SeenDelays delays = new SeenDelays();
    private final Care care = new Care(this);
    private @Nullable StoreContext context;
    private @Nullable PendingAnswers pending;

    private ZooKeeperLockStore(SessionHolder sessions, ZooKeeperConfig config, String location) {
        this.sessions = sessions;
        this.config = config;
        this.acl = config.acl();
        this.paths = config.paths();
        this.info = StoreInfo.of("zookeeper", location)
                .withTtl(Duration.ofMillis(100), sessions.timeout())
                .withIoTimeout(config.ioTimeout());
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
        return new ZooKeeperLockStore(sessions, config, location);
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext value) {
        context = value;
        pending = new PendingAnswers(
                value.ticker(), value.scheduler(), info.ioTimeout().toNanos(), info.location());
        sessions.attach(value, new Session.Listener() {
            @Override
            public void disconnected(Session session) {
                value.signals().disconnected();
            }

            @Override
            public void connected(Session session) {
                sweep(session);
                value.signals().connected();
            }

            @Override
            public void over(Session session) {
                sessionOver(session);
            }
        });
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
        place.create();
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
                paths.name(place.claim.lockName()) + "/" + NodeName.prefix(place.claim),
                ClaimData.of(place.claim),
                acl(),
                CreateMode.EPHEMERAL_SEQUENTIAL));
        // The answer to a creation inside of a transaction does not tell its zxid; that to a write does.
        ops.add(Op.setData(session.clientNode(), new byte[0], -1));
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
        place.listAfterExchange();
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        if (claims.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Session session = sessions.current();
        CompletableFuture<List<RenewResult>> result = new CompletableFuture<>();
        if (session == null) {
            result.complete(unanswered(claims, noSession()));
            return result;
        }
        long sent = now();
        for (Claim claim : claims) {
            Place place = places.get(claim.holder());
            if (place != null && place.isHeld() && !place.isArmed()) {
                place.arm(reason -> {});
            }
        }
        // Events and answers come in the order in which the server made them: who is still there when this write is
        // answered was there when it was executed (U4).
        session.beat(
                zxid -> result.complete(renewed(claims, session, sent)),
                () -> result.complete(unanswered(claims, trouble("renewing", Code.CONNECTIONLOSS.intValue()))));
        return pending().bounded(result, "renewing " + claims.size() + " leases");
    }

    private List<RenewResult> renewed(List<Claim> claims, Session session, long sent) {
        List<RenewResult> results = new ArrayList<>(claims.size());
        long now = now();
        for (Claim claim : claims) {
            Place place = places.get(claim.holder());
            LossReason lost = place == null || !place.claim.lockName().equals(claim.lockName())
                    ? LossReason.GONE
                    : place.obstacleToRenewal(now);
            long nanos = Math.min(claim.ttl().toNanos(), session.deadline() - sent);
            if (lost != null || place == null) {
                results.add(new RenewResult.Lost(lost == null ? LossReason.GONE : lost));
            } else if (nanos <= 0 || place.session != session) {
                results.add(new RenewResult.Unanswered(trouble("renewing", Code.SESSIONMOVED.intValue())));
            } else {
                place.extend(sent);
                results.add(new RenewResult.Renewed(new Term(sent, nanos)));
            }
        }
        return results;
    }

    private static List<RenewResult> unanswered(List<Claim> claims, StoreUnavailableException why) {
        return claims.stream()
                .<RenewResult>map(claim -> new RenewResult.Unanswered(why))
                .toList();
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

    @Override
    public void close() {
        Session session = sessions.close();
        if (session == null) {
            return;
        }
        List<CompletableFuture<ReleaseResult>> leaving = new ArrayList<>();
        boolean held = false;
        for (Place place : places.values()) {
            held |= place.isHeld();
            if (place.isWaiting()) {
                leaving.add(place.release());
            }
        }
        if ((held || !sessions.owns()) && session.isConnected()) {
            awaitAll(leaving);
        }
        session.close(held);
        places.clear();
    }

    private void awaitAll(List<CompletableFuture<ReleaseResult>> leaving) {
        try {
            CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new))
                    .get(info.ioTimeout().toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            // What could not be deleted ends with the session.
        }
    }

    // ---------------------------------------------------------------- for the parts

    Paths paths() {
        return paths;
    }

    List<ACL> acl() {
        return acl;
    }

    long now() {
        return context().ticker().nanos();
    }

    Scheduler scheduler() {
        return context().scheduler();
    }

    StoreSignals signals() {
        return context().signals();
    }

    Care care() {
        return care;
    }

    SeenDelays delays() {
        return delays;
    }

    /** A token: the node's czxid with room for the passes of a span (DESIGN 6). Never the sequence. */
    long token(long czxid) {
        return (czxid << 8) + config.tokenBase();
    }

    void forget(Place place) {
        places.remove(place.claim.holder(), place);
        care.remove(place);
    }

    void bury(Place place) {
        tombstones.add(place.claim.holder(), now());
        forget(place);
    }

    /** Makes the container of a name, and whatever is missing above it. */
    void makeName(Session session, String path, Consumer<@Nullable StoreUnavailableException> done) {
        session.zk.create(
                path,
                new byte[0],
                acl(),
                CreateMode.CONTAINER,
                (rc, asked, ctx, name) -> {
                    if (rc == Code.OK.intValue() || rc == Code.NODEEXISTS.intValue()) {
                        done.accept(null);
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        session.onceConnected(() -> makeName(session, path, done));
                    } else if (rc == Code.NONODE.intValue()) {
                        makeBase(session, failure -> {
                            if (failure == null) {
                                makeName(session, path, done);
                            } else {
                                done.accept(failure);
                            }
                        });
                    } else {
                        done.accept(trouble("creating node " + path, rc));
                    }
                },
                null);
    }

    /** Somebody deleted the nodes that were made when the store was opened. */
    private void makeBase(Session session, Consumer<@Nullable StoreUnavailableException> done) {
        List<String> all = Paths.withParents(paths.names());
        AtomicInteger open = new AtomicInteger(all.size());
        for (String path : all) {
            session.zk.create(
                    path,
                    new byte[0],
                    acl(),
                    CreateMode.PERSISTENT,
                    (int rc, String asked, Object ctx, String name) -> {
                        if (open.decrementAndGet() == 0) {
                            boolean made = rc == Code.OK.intValue() || rc == Code.NODEEXISTS.intValue();
                            done.accept(made ? null : trouble("creating node " + paths.names(), rc));
                        }
                    },
                    null);
        }
    }

    /** Who the owner of this node says it is; null if it is gone or unreadable. */
    void holderOf(Session session, String parent, NodeName node, Consumer<@Nullable Holder> told) {
        session.zk.getData(
                parent + "/" + node.text(),
                false,
                (rc, path, ctx, data, stat) -> {
                    ClaimData claim = rc == Code.OK.intValue() ? ClaimData.parse(data) : null;
                    told.accept(claim == null ? null : claim.holder(node.mode(), token(stat.getCzxid())));
                },
                null);
    }

    StoreUnavailableException trouble(String what, int rc) {
        Code code = Code.get(rc);
        String why = code == null ? "code " + rc : code.toString();
        String remedy = switch (code == null ? Code.SYSTEMERROR : code) {
            case NOAUTH -> ": give user:password@ of the owner of " + paths.base();
            case UNIMPLEMENTED -> ": ZooKeeper 3.6 or newer is needed, with extended types for containers";
            default -> "";
        };
        return new StoreUnavailableException(
                what + ": store " + info.location() + " answered " + why + remedy, code != Code.NOAUTH, null);
    }

    // ---------------------------------------------------------------- private

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

    private @Nullable RuntimeException unfit(Claim claim) {
        if (claim.ttl().compareTo(info.maxTtl()) > 0) {
            return new IllegalArgumentException("ttl " + claim.ttl() + " of lock '" + claim.lockName() + "': store "
                    + info.location() + " has sessions of " + info.maxTtl()
                    + " and cannot keep a lease longer; raise the client's default TTL or the option session");
        }
        return sessions.current() == null ? noSession() : null;
    }

    /** L2: ephemeral nodes of this session that nobody owns would keep a name locked for as long as it lives. */
    private void sweep(Session session) {
        session.zk.getEphemerals(
                paths.names(),
                (rc, ctx, nodes) -> {
                    for (String node : nodes == null ? List.<String>of() : nodes) {
                        NodeName name = NodeName.parse(node.substring(node.lastIndexOf('/') + 1));
                        if (name != null && !places.containsKey(name.holder())) {
                            session.zk.delete(node, -1, (code, path, c) -> {}, null);
                        }
                    }
                },
                null);
    }

    private void sessionOver(Session session) {
        for (Place place : places.values()) {
            if (place.session == session) {
                place.over(LossReason.GONE, "its session has ended");
            }
        }
    }

    private StoreUnavailableException noSession() {
        return new StoreUnavailableException("store " + info.location() + " has no session at the moment", false, null);
    }

    private StoreUnavailableException withdrawn(Claim claim) {
        return new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName() + "' was withdrawn", false, null);
    }

    private static String what(Claim claim) {
        return "acquiring lock '" + claim.lockName() + "'";
    }

    private StoreContext context() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("the store is not attached to a client yet");
        }
        return attached;
    }

    private PendingAnswers pending() {
        PendingAnswers attached = pending;
        if (attached == null) {
            throw new IllegalStateException("the store is not attached to a client yet");
        }
        return attached;
    }

    static RuntimeException unwrapped(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }
}
