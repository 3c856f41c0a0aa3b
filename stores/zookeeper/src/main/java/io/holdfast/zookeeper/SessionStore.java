package io.holdfast.zookeeper;

import io.holdfast.Holder;
import io.holdfast.LossReason;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * What both ways of locking in ZooKeeper share: the session, its heartbeat as the renewal of every lease at once, the
 * care for leases that end before their session does, and the end of everything.
 *
 * @param <P> what the store keeps of a claim
 */
abstract class SessionStore<P extends Kept> implements LockStore {
    private static final Duration SHORTEST_TTL = Duration.ofMillis(100);
    private static final Duration LONGEST_TTL = Duration.ofDays(1);

    final Sessions sessions;
    private final ZooKeeperConfig config;
    private final List<ACL> acl;
    private final StoreInfo info;
    private final Paths paths;
    final ConcurrentMap<HolderId, P> places = new ConcurrentHashMap<>();
    final Tombstones tombstones = new Tombstones();

    /** In every node of this store: another store may use the same session. */
    final String id = UUID.randomUUID().toString();

    private final Care care = new Care(this);
    private @Nullable StoreContext context;
    private @Nullable PendingAnswers pending;

    SessionStore(Sessions sessions, ZooKeeperConfig config, StoreInfo limits) {
        this.sessions = sessions;
        this.config = config;
        this.acl = config.acl();
        this.paths = config.paths();
        // A session that was passed in is the only one: a shorter lease would outlive its holder (L15).
        this.info = limits.withTtl(
                        sessions.owns() ? SHORTEST_TTL : sessions.longest(),
                        sessions.owns() ? sessions.longest() : LONGEST_TTL)
                .withIoTimeout(config.ioTimeout());
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
                // Leases of other sessions are not in doubt.
                if (places.values().stream().anyMatch(place -> place.session() == session)) {
                    value.signals().disconnected();
                }
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
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        if (claims.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Map<Session, List<Claim>> bySession = new LinkedHashMap<>();
        Map<HolderId, RenewResult> answers = new ConcurrentHashMap<>();
        for (Claim claim : claims) {
            P place = places.get(claim.holder());
            if (place == null || !place.claim().lockName().equals(claim.lockName())) {
                answers.put(claim.holder(), new RenewResult.Lost(LossReason.GONE));
                continue;
            }
            if (place.isHeld() && !place.isArmed()) {
                place.arm(reason -> {});
            }
            bySession
                    .computeIfAbsent(place.session(), fresh -> new ArrayList<>())
                    .add(claim);
        }
        List<CompletableFuture<Void>> sessionsAnswered = new ArrayList<>(bySession.size());
        bySession.forEach((session, mine) -> sessionsAnswered.add(beat(session, mine)
                .exceptionally(failure -> unanswered(mine, unwrapped(failure)))
                .thenAccept(results -> {
                    for (int i = 0; i < results.size(); i++) {
                        answers.put(mine.get(i).holder(), results.get(i));
                    }
                })));
        return CompletableFuture.allOf(sessionsAnswered.toArray(CompletableFuture[]::new))
                .thenApply(done -> claims.stream()
                        .map(claim -> Objects.requireNonNull(answers.get(claim.holder())))
                        .toList());
    }

    /**
     * One heartbeat renews every lease of its session. Events and answers come in the order in which the server made them:
     * a node that is still known when this write is answered was there when it was executed (U4).
     */
    private CompletableFuture<List<RenewResult>> beat(Session session, List<Claim> mine) {
        CompletableFuture<List<RenewResult>> result = new CompletableFuture<>();
        long sent = now();
        session.beat(
                zxid -> result.complete(renewed(mine, session, sent)),
                () -> result.completeExceptionally(trouble("renewing", Code.CONNECTIONLOSS.intValue())));
        return pending().bounded(result, "renewing " + mine.size() + " leases");
    }

    private List<RenewResult> renewed(List<Claim> claims, Session session, long sent) {
        List<RenewResult> results = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            P place = places.get(claim.holder());
            LossReason lost = place == null ? LossReason.GONE : place.obstacleToRenewal(sent);
            long nanos = Math.min(claim.ttl().toNanos(), session.deadline() - sent);
            if (lost != null || place == null) {
                results.add(new RenewResult.Lost(lost == null ? LossReason.GONE : lost));
            } else if (nanos <= 0 || place.session() != session) {
                results.add(new RenewResult.Unanswered(trouble("renewing", Code.SESSIONMOVED.intValue())));
            } else {
                place.extend(sent);
                results.add(new RenewResult.Renewed(new Term(sent, nanos)));
            }
        }
        return results;
    }

    private static List<RenewResult> unanswered(List<Claim> claims, Throwable why) {
        return claims.stream()
                .<RenewResult>map(claim -> new RenewResult.Unanswered(why))
                .toList();
    }

    @Override
    public void close() {
        List<Session> living = sessions.close();
        if (living.isEmpty()) {
            return;
        }
        List<CompletableFuture<ReleaseResult>> leaving = new ArrayList<>();
        Set<Session> holding = new HashSet<>();
        for (P place : places.values()) {
            if (place.isHeld()) {
                holding.add(place.session());
            }
            if (place.isWaiting()) {
                leaving.add(place.release());
            }
        }
        boolean left = !holding.isEmpty() || !sessions.owns();
        if (left && living.stream().anyMatch(Session::isConnected)) {
            awaitAll(leaving);
        }
        living.forEach(session -> session.close(holding.contains(session)));
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

    /** A token: the node's czxid with room for the passes of a span (docs/design.md, 6). Never the sequence. */
    long token(long czxid) {
        return (czxid << 8) + config.tokenBase();
    }

    void forget(Kept place) {
        places.remove(place.claim().holder(), place);
        care.remove(place);
    }

    void bury(Kept place) {
        tombstones.add(place.claim().holder(), now());
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

    @Nullable
    RuntimeException unfit(Claim claim) {
        if (claim.ttl().compareTo(info.minTtl()) < 0 && !sessions.owns()) {
            return new IllegalArgumentException("ttl " + claim.ttl() + " of lock '" + claim.lockName() + "': store "
                    + info.location() + " uses a client whose session lasts " + info.minTtl()
                    + ", and the lock of a dead process would stay closed for as long; ask for that TTL or a longer one,"
                    + " or open the store by its URL");
        }
        if (claim.ttl().compareTo(info.maxTtl()) > 0) {
            return new IllegalArgumentException("ttl " + claim.ttl() + " of lock '" + claim.lockName() + "': store "
                    + info.location() + " has sessions of " + info.maxTtl()
                    + " and cannot keep a lease longer; raise the client's default TTL or the option session");
        }
        return null;
    }

    /** Runs {@code enter} with the session for this claim, now or when it has been opened. What fails is the answer. */
    void inSession(Claim claim, CompletableFuture<?> answer, Consumer<Session> enter) {
        Session ready = sessions.ready(claim.ttl());
        if (ready != null) {
            entered(ready, answer, enter);
            return;
        }
        sessions.of(claim.ttl()).whenComplete((session, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(unwrapped(failure));
            } else if (answer.isDone() || tombstones.has(claim.holder(), now())) {
                answer.completeExceptionally(withdrawn(claim));
            } else {
                entered(session, answer, enter);
            }
        });
    }

    /** L13: whatever is thrown is the answer. */
    private static void entered(Session session, CompletableFuture<?> answer, Consumer<Session> enter) {
        try {
            enter.accept(session);
        } catch (Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }

    /**
     * L2: ephemeral nodes of this session that no claim owns would keep a name locked for as long as it lives. Only nodes
     * that this store made are deleted: an application may open several stores over one client.
     */
    private void sweep(Session session) {
        session.zk.getEphemerals(
                paths.names(),
                (rc, ctx, nodes) -> {
                    for (String node : nodes == null ? List.<String>of() : nodes) {
                        NodeName name = NodeName.parse(node.substring(node.lastIndexOf('/') + 1));
                        int below = node.indexOf(paths.names()); // behind a chroot, if there is one
                        if (name != null && below >= 0 && !places.containsKey(name.holder())) {
                            sweep(session, node.substring(below), name.holder());
                        }
                    }
                },
                null);
    }

    private void sweep(Session session, String node, HolderId holder) {
        session.zk.getData(
                node,
                false,
                (rc, path, ctx, data, stat) -> {
                    ClaimData claim = rc == Code.OK.intValue() ? ClaimData.parse(data) : null;
                    if (claim != null && id.equals(claim.store()) && !places.containsKey(holder)) {
                        session.zk.delete(node, -1, (code, p, c) -> {}, null);
                    }
                },
                null);
    }

    private void sessionOver(Session session) {
        for (P place : places.values()) {
            if (place.session() == session) {
                Outcomes.guarded(() -> place.over(LossReason.GONE, "its session has ended"));
            }
        }
    }

    StoreUnavailableException noSession() {
        return new StoreUnavailableException("store " + info.location() + " has no session at the moment", false, null);
    }

    StoreUnavailableException withdrawn(Claim claim) {
        return new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName() + "' was withdrawn", false, null);
    }

    static String what(Claim claim) {
        return "acquiring lock '" + claim.lockName() + "'";
    }

    private StoreContext context() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("the store is not attached to a client yet");
        }
        return attached;
    }

    PendingAnswers pending() {
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
