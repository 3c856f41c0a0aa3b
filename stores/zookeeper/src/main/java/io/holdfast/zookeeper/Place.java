package io.holdfast.zookeeper;

import io.holdfast.Holder;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One claim's node, from the request that creates it until it is gone.
 *
 * <pre>
 *   CREATING ─created─▶ DECIDING ─first─▶ HELD ──release, TTL over──▶ ENDING ─▶ OVER
 *                          │  ▲             └──node or session gone────────────▶ OVER
 *                          ▼  │ the watched node is gone
 *                        WAITING
 * </pre>
 *
 * <ul>
 *   <li>I1: at most one node per holder id. A creation whose answer was lost is searched for by holder id, after a sync,
 *       before it is repeated (L2).
 *   <li>I2: HELD only if the node was created by <em>this</em> session, stands first as far as it conflicts, was there
 *       when its last obstacle went (its own node is watched, and events keep their order), and the session lives by
 *       {@link Session#deadline()}.
 *   <li>I3: after a release or cancel the claim is never granted (U15): who asks while the creation is under way marks
 *       the place, and it ends as soon as its node is known.
 *   <li>I4: a deletion whose answer was lost is repeated for as long as the session lives.
 * </ul>
 *
 * <p>All fields are guarded by the monitor; futures are completed and ZooKeeper is called outside of it, except that
 * ZooKeeper's asynchronous calls, which only append to a queue, may be made within.
 */
final class Place implements Ticket, Kept {
    enum State {
        CREATING,
        DECIDING,
        WAITING,
        HELD,
        ENDING,
        OVER
    }

    /** How much longer than its wait a place stays: usually whoever waited cancels it first, with a better message. */
    private static final long GRACE = 1_000_000_000;

    final Claim claim;
    final Session session;
    private final ZooKeeperLockStore store;
    private final String parent;
    private final boolean trying;
    /** What became of the request; a try is answered with a ticket only if it is then undone. */
    private final CompletableFuture<EnqueueResult> answer = new CompletableFuture<>();

    private final CompletableFuture<Refused> refusal = new CompletableFuture<>();
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();
    private final CompletableFuture<ReleaseResult> ended = new CompletableFuture<>();

    private State state = State.CREATING;
    private int attempt;
    private long sent;
    private boolean abandoned;
    private boolean wasHeld;
    /** A deletion was sent whose answer was lost: if the node is gone later, it is not known which deletion that was. */
    private boolean unanswered;

    private boolean expired;
    private boolean revoked;
    private boolean armed;
    private boolean delayWritten;
    private @Nullable String path;
    private long czxid;
    private long createdMillis;
    private long createdAt;
    private @Nullable String watched;
    private boolean sole;
    /** The creation is not followed by a list: its answer may be enough. */
    private boolean unlisted;
    /** It was granted as the first of a line without lock-delays. */
    private boolean clean;

    private Familiar.@Nullable Name familiar;
    /** The line that the last decision was about; of permits only. */
    private Set<String> seen = Set.of();

    private @Nullable Granted grant;
    private long ends;
    private long waitEnds;
    private Scheduler.@Nullable Timer waitTimer;
    private Scheduler.@Nullable Timer delayTimer;

    Place(ZooKeeperLockStore store, Session session, Claim claim, boolean trying, Duration wait) {
        this.store = store;
        this.session = session;
        this.claim = claim;
        this.parent = store.paths().name(claim.lockName());
        this.trying = trying;
        this.waitEnds = store.now() + Math.min(wait.toNanos(), Long.MAX_VALUE / 4);
    }

    @Override
    public Claim claim() {
        return claim;
    }

    @Override
    public Session session() {
        return session;
    }

    CompletableFuture<EnqueueResult> answer() {
        return answer;
    }

    CompletableFuture<Refused> refusal() {
        return refusal;
    }

    @Override
    public CompletionStage<Granted> granted() {
        return granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        return store.release(claim);
    }

    @Override
    public synchronized void extend(Duration wait) {
        waitEnds = store.now() + Math.min(wait.toNanos(), Long.MAX_VALUE / 4);
        if (state == State.WAITING) {
            armWait();
        }
    }

    // ---------------------------------------------------------------- creating

    /**
     * Creates the node and lists its siblings, back to back: ZooKeeper keeps a session's order. The list is left out
     * where the creation's answer will probably tell that there are none.
     */
    void create() {
        int current;
        boolean alone = session.familiar.expects(parent);
        synchronized (this) {
            state = State.CREATING;
            current = ++attempt;
            sent = store.now();
            unlisted = alone;
        }
        session.zk.create(
                parent + "/" + NodeName.prefix(claim),
                ClaimData.of(claim, store.id),
                store.acl(),
                CreateMode.EPHEMERAL_SEQUENTIAL,
                (rc, asked, context, name, stat) -> created(current, rc, name, stat),
                null);
        if (!alone) {
            list(current);
        }
    }

    /** Lists the siblings of what the attempt {@code current} creates; sent back to back with it. */
    void list(int current) {
        session.zk.getChildren(
                parent,
                false,
                (int rc, String asked, Object context, List<String> children) ->
                        step(() -> listed(current, rc, children)),
                null);
    }

    private void created(int current, int rc, String name, Stat stat) {
        step(() -> answered(current, rc, name, stat));
    }

    /**
     * L13: a step on ZooKeeper's event thread that throws, be it an {@code Error}, is a request whose outcome is unknown. Its
     * caller is told so, and the node is looked for and deleted.
     */
    private void step(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            State before;
            synchronized (this) {
                before = state;
                if (isWaiting()) {
                    state = State.CREATING;
                    abandoned = true;
                    cancelTimers();
                }
            }
            if (before == State.ENDING) {
                unanswered();
                session.onceConnected(this::delete);
            } else if (before != State.HELD && before != State.OVER) {
                session.onceConnected(this::search);
                StoreUnavailableException unknown = new StoreUnavailableException(
                        "lock '" + claim.lockName() + "': a step of its request failed", true, failure);
                answer.completeExceptionally(unknown);
                refusal.completeExceptionally(unknown);
                granted.completeExceptionally(unknown);
            }
        }
    }

    private void answered(int current, int rc, String name, Stat stat) {
        if (rc == Code.OK.intValue()) {
            created(current, name, stat.getCzxid(), stat.getCtime(), stat.getEphemeralOwner());
        } else if (rc == Code.NONODE.intValue()) {
            store.makeName(session, parent, failure -> {
                if (failure == null) {
                    create();
                } else {
                    fail(failure);
                }
            });
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            // The caller has its I/O timeout; whatever was created is found by its holder id.
            session.onceConnected(this::search);
        } else {
            fail(store.trouble("creating a node for lock '" + claim.lockName() + "'", rc));
        }
    }

    /** The node is known. */
    private void created(int current, String name, long zxid, long ctime, long owner) {
        boolean foreign;
        boolean end;
        boolean decide;
        Familiar.Name known = session.familiar.of(parent);
        synchronized (this) {
            if (current != attempt) {
                return;
            }
            path = name;
            familiar = known;
            czxid = zxid;
            createdMillis = ctime;
            createdAt = store.now();
            foreign = owner != session.id;
            end = abandoned;
            decide = unlisted;
            unlisted = false;
            state = State.DECIDING;
        }
        if (foreign) {
            // A node of another session with our holder id is no grant of ours, whoever put it there.
            over(LossReason.GONE, "its node belongs to another session");
        } else if (end) {
            release();
        } else if (decide) {
            decideByNumber();
        }
    }

    /** Alone, as the number of the node tells; else the line has to be looked at after all. */
    private void decideByNumber() {
        NodeName own = NodeName.of(claim, nodeName());
        if (session.familiar.isAlone(parent, own.sequence())) {
            decide(Line.alone(own), own);
        } else {
            list();
        }
    }

    /** Part of an exchange: the node was created in the transaction that deleted the old one. */
    void createdBy(String name, long zxid) {
        // Inside of a transaction ZooKeeper answers with the whole path, also to a client with a chroot.
        String own = parent + name.substring(name.lastIndexOf('/'));
        int current;
        synchronized (this) {
            current = attempt;
        }
        created(current, own, zxid, 0, session.id);
    }

    /** Its creation is part of an exchange that is about to be sent; {@code alone} if no list will follow. */
    synchronized int expectCreation(boolean alone) {
        sent = store.now();
        unlisted = alone;
        return ++attempt;
    }

    /** After an unknown outcome and a sync: the node by its holder id, or a new one; never two. */
    void search() {
        int current;
        synchronized (this) {
            if (state != State.CREATING) {
                return;
            }
            current = ++attempt;
            unlisted = false;
        }
        session.zk.getChildren(
                parent,
                false,
                (int rc, String asked, Object context, List<String> children) -> {
                    NodeName found =
                            rc == Code.OK.intValue() ? Line.of(children).find(claim.holder()) : null;
                    if (found != null) {
                        look(current, found);
                    } else if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                        notFound();
                    } else {
                        session.onceConnected(this::search);
                    }
                },
                null);
    }

    private void notFound() {
        boolean end;
        synchronized (this) {
            end = abandoned;
        }
        if (end) {
            over(LossReason.GONE, "it was given up");
        } else {
            create();
        }
    }

    private void look(int current, NodeName found) {
        String name = parent + "/" + found.text();
        session.zk.exists(
                name,
                this::ownEvent,
                (rc, asked, context, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        synchronized (this) {
                            armed = true;
                        }
                        created(current, name, stat.getCzxid(), stat.getCtime(), stat.getEphemeralOwner());
                        list();
                    } else if (rc == Code.NONODE.intValue()) {
                        notFound();
                    } else {
                        session.onceConnected(this::search);
                    }
                },
                null);
    }

    // ---------------------------------------------------------------- deciding

    /** Lists the siblings again and decides anew. */
    private void list() {
        int current;
        synchronized (this) {
            if (state != State.DECIDING && state != State.WAITING) {
                return;
            }
            current = ++attempt;
            watched = null;
        }
        list(current);
    }

    private void listed(int current, int rc, List<String> children) {
        synchronized (this) {
            if (current != attempt || (state != State.DECIDING && state != State.WAITING)) {
                return;
            }
        }
        if (rc == Code.OK.intValue()) {
            if (claim.mode() == Mode.PERMIT) {
                synchronized (this) {
                    seen = Set.copyOf(children);
                }
            }
            decide(Line.of(children));
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            session.onceConnected(this::list);
        } else if (rc == Code.NONODE.intValue()) {
            over(LossReason.GONE, "its node was deleted");
        } else {
            fail(store.trouble("listing lock '" + claim.lockName() + "'", rc));
        }
    }

    private void decide(Line line) {
        // By its whole name: a node of a dead session may carry the same holder id.
        NodeName own = line.named(nodeName());
        if (own == null) {
            over(LossReason.GONE, "its node was deleted");
            return;
        }
        List<NodeName> tied = line.tiedWith(own);
        if (tied.isEmpty()) {
            decide(line, own);
        } else {
            new Tie(this, parent, line, own, tied).resolve();
        }
    }

    /** Decides about a line whose order is known. */
    void decide(Line line, NodeName own) {
        List<NodeName> obstacles = line.obstacles(own);
        if (!obstacles.isEmpty()) {
            if (trying) {
                refuse(obstacles.get(0));
            } else {
                watch(obstacles, line.hasDelays());
            }
            return;
        }
        List<HolderId> orphans = line.orphans();
        synchronized (this) {
            clean = line.startsWith(own)
                    && !line.hasDelays()
                    && claim.lockDelay().isZero();
        }
        if (!orphans.isEmpty()) {
            new DelayWait(store, this, parent, orphans).start();
        } else if (!claim.lockDelay().isZero() && !line.hasDelayOf(claim.holder())) {
            writeDelay();
        } else {
            grant();
        }
    }

    /** L10: what tells a clean release from a disappearance is there before the lease is. */
    private void writeDelay() {
        synchronized (this) {
            delayWritten = true;
        }
        session.zk.create(
                delayPath(),
                new DelayData(claim.lockDelay(), false).bytes(),
                store.acl(),
                CreateMode.PERSISTENT,
                (int rc, String asked, Object context, String name) -> {
                    if (rc == Code.OK.intValue() || rc == Code.NODEEXISTS.intValue()) {
                        store.oldDelays().written(session);
                        grant();
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        session.onceConnected(this::list);
                    } else {
                        fail(store.trouble("writing the lock-delay of lock '" + claim.lockName() + "'", rc));
                    }
                },
                null);
    }

    private void grant() {
        Granted result;
        long now = store.now();
        long alive = session.deadline() - now;
        synchronized (this) {
            if (state != State.DECIDING && state != State.WAITING) {
                return;
            }
            if (alive <= 0) {
                result = null;
            } else {
                // A pushed grant begins now, an immediate one with its request.
                long begin = state == State.WAITING ? now : sent;
                ends = begin + claim.ttl().toNanos();
                long nanos = Math.min(claim.ttl().toNanos(), session.deadline() - begin);
                result = new Granted(store.token(czxid), claim.span(), new Term(begin, nanos));
                grant = result;
                wasHeld = true;
                state = State.HELD;
                cancelTimers();
            }
        }
        if (result == null) {
            // Too long without a heartbeat that proves anything: ask for one before anybody relies on the session.
            session.beat(zxid -> grantOrFail(), this::inDoubt);
            return;
        }
        store.care().add(this, now);
        answer.complete(result);
        granted.complete(result);
    }

    private void grantOrFail() {
        if (session.deadline() - store.now() > 0) {
            grant();
        } else {
            inDoubt();
        }
    }

    private void inDoubt() {
        fail(new StoreUnavailableException(
                "lock '" + claim.lockName() + "': store " + store.info().location()
                        + " does not confirm its session, so its grants cannot be relied on",
                true,
                null));
        release();
    }

    /** A try that was not granted leaves nothing, and then says who was in the way. */
    private void refuse(NodeName first) {
        store.holderOf(session, parent, first, holder -> refuse(new Refused(holder, remaining(holder), false, null)));
    }

    void refuse(Refused because) {
        release().whenComplete((result, failure) -> refusal.complete(because));
    }

    private static @Nullable Duration remaining(@Nullable Holder holder) {
        return holder == null ? null : holder.remaining();
    }

    // ---------------------------------------------------------------- waiting

    /** Waits for the nearest obstacle; a permit waits for any change, because any of those before it may make room. */
    private void watch(List<NodeName> obstacles, boolean delays) {
        NodeName nearest = obstacles.get(obstacles.size() - 1);
        int current;
        boolean arm;
        synchronized (this) {
            if (state != State.DECIDING && state != State.WAITING) {
                return;
            }
            state = State.WAITING;
            current = attempt;
            watched = nearest.text();
            // Beside a shared claim others hold, whose lock-delays may have begun since: it looks again.
            sole = obstacles.size() == 1 && !delays && claim.lockDelay().isZero() && claim.mode() == Mode.EXCLUSIVE;
            arm = !armed;
            armWait();
        }
        if (claim.mode() == Mode.PERMIT) {
            session.zk.getChildren(
                    parent,
                    this::lineEvent,
                    (int rc, String asked, Object context, List<String> children) ->
                            watchingLine(current, rc, children, nearest),
                    null);
        } else {
            session.zk.getData(
                    parent + "/" + nearest.text(),
                    event -> step(() -> obstacleEvent(nearest, event)),
                    (rc, asked, context, data, stat) -> step(() -> watching(current, rc, nearest, data, stat)),
                    null);
        }
        if (arm) {
            arm(failure -> {});
        }
    }

    private void watching(int current, int rc, NodeName nearest, byte @Nullable [] data, @Nullable Stat stat) {
        if (rc == Code.OK.intValue() && stat != null) {
            ClaimData holder = ClaimData.parse(data);
            synchronized (this) {
                // Its end may begin a lock-delay: then the line must be looked at once more.
                sole &= holder != null && holder.lockDelay().isZero();
            }
            Holder known = holder == null ? null : holder.holder(nearest.mode(), store.token(stat.getCzxid()));
            answer.complete(new Queued(this, new Refused(known, remaining(known), false, null)));
        } else if (rc == Code.NONODE.intValue()) {
            synchronized (this) {
                if (current != attempt) {
                    return;
                }
            }
            list();
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            session.onceConnected(this::list);
        } else {
            fail(store.trouble("waiting for lock '" + claim.lockName() + "'", rc));
        }
    }

    private void watchingLine(int current, int rc, List<String> children, NodeName nearest) {
        boolean same;
        synchronized (this) {
            same = rc == Code.OK.intValue() && Set.copyOf(children).equals(seen);
        }
        if (same) {
            answer.complete(new Queued(this, new Refused(null, null, false, null)));
        } else if (rc == Code.OK.intValue()) {
            listed(current, rc, children);
        } else {
            watching(current, rc, nearest, null, null);
        }
    }

    /** Waits out a lock-delay, or less if it is ended early. */
    void waitForDelay(Duration left) {
        synchronized (this) {
            if (state != State.DECIDING && state != State.WAITING) {
                return;
            }
            state = State.WAITING;
            if (delayTimer != null) {
                delayTimer.cancel();
            }
            delayTimer = store.scheduler().schedule(this::list, left.toNanos());
            armWait();
        }
        arm(failure -> {});
        answer.complete(new Queued(this, new Refused(null, left, true, null)));
    }

    boolean isTry() {
        return trying;
    }

    /** What the leader's clock shows now, judged by the creation of the node; 0 if that is not known. */
    synchronized long leaderMillis() {
        return createdMillis == 0 ? 0 : createdMillis + (store.now() - createdAt) / 1_000_000;
    }

    synchronized long czxid() {
        return czxid;
    }

    /** Something in the line may have changed. */
    void lookAgain() {
        list();
    }

    private void obstacleEvent(NodeName obstacle, WatchedEvent event) {
        if (event.getType() == EventType.None) {
            return;
        }
        boolean first;
        synchronized (this) {
            if (state != State.WAITING || !obstacle.text().equals(watched)) {
                return;
            }
            first = event.getType() == EventType.NodeDeleted && sole && armed;
            clean = first;
        }
        if (first) {
            // Nobody can come before us any more, and our own node was there when the obstacle went (I2).
            grant();
        } else {
            list();
        }
    }

    private void lineEvent(WatchedEvent event) {
        if (event.getType() != EventType.None) {
            list();
        }
    }

    /** Under the monitor: ends the wait in time even if nobody cancels it. */
    private void armWait() {
        if (waitTimer != null) {
            waitTimer.cancel();
        }
        waitTimer = store.scheduler().schedule(this::waitOver, Math.max(0, waitEnds - store.now()) + GRACE);
    }

    private void waitOver() {
        synchronized (this) {
            if (state != State.WAITING || waitEnds - store.now() > 0) {
                return;
            }
        }
        release();
        granted.completeExceptionally(new StoreUnavailableException(
                "the wait of " + claim.label() + " for lock '" + claim.lockName() + "' is over", false, null));
    }

    // ---------------------------------------------------------------- the own node

    /** Watches the own node; its deletion is then noticed at once (U4). */
    @Override
    public void arm(Consumer<@Nullable LossReason> known) {
        String own;
        synchronized (this) {
            own = path;
        }
        if (own == null) {
            return;
        }
        session.zk.exists(
                own,
                this::ownEvent,
                (rc, asked, context, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        boolean changed = stat.getVersion() > 0;
                        synchronized (this) {
                            armed = true;
                        }
                        if (changed) {
                            revoked();
                        }
                        known.accept(changed ? LossReason.REVOKED : null);
                    } else if (rc == Code.NONODE.intValue()) {
                        over(LossReason.GONE, "its node was deleted");
                        known.accept(LossReason.GONE);
                    } else {
                        known.accept(null);
                    }
                },
                null);
    }

    @Override
    public synchronized boolean isArmed() {
        return armed;
    }

    private void ownEvent(WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted) {
            over(LossReason.GONE, "its node was deleted");
        } else if (event.getType() == EventType.NodeDataChanged) {
            // Nobody writes a claim's node but who revokes it.
            revoked();
            arm(failure -> {});
        }
    }

    private void revoked() {
        boolean tell;
        synchronized (this) {
            tell = !revoked && state == State.HELD;
            revoked = true;
        }
        if (tell) {
            Outcomes.guarded(() -> store.signals().lost(claim.holder(), LossReason.REVOKED));
        }
    }

    // ---------------------------------------------------------------- held

    /** Why a renewal that was sent at {@code sent} does not extend it; null if it does. */
    @Override
    public synchronized @Nullable LossReason obstacleToRenewal(long sent) {
        if (revoked) {
            return LossReason.REVOKED;
        }
        if (state != State.HELD) {
            return LossReason.GONE;
        }
        return sent - ends >= 0 ? LossReason.EXPIRED : null;
    }

    /** A renewal that was sent at {@code begin} was confirmed. */
    @Override
    public synchronized void extend(long begin) {
        long longer = begin + claim.ttl().toNanos();
        if (longer - ends > 0) {
            ends = longer;
        }
    }

    /** The grant as it stands, for a repeated request. */
    synchronized @Nullable Granted granted(long now) {
        Granted first = grant;
        if (state != State.HELD || first == null) {
            return null;
        }
        long left = Math.min(ends, session.deadline()) - now;
        return new Granted(first.token(), first.span(), new Term(now, Math.max(1, left)));
    }

    @Override
    public synchronized long ends() {
        return ends;
    }

    @Override
    public synchronized boolean isHeld() {
        return state == State.HELD;
    }

    @Override
    public synchronized boolean isWaiting() {
        return state == State.WAITING || state == State.DECIDING || state == State.CREATING;
    }

    /** The TTL of a session's lease is kept here: nobody renewed it in time. */
    @Override
    public void expire(long now) {
        synchronized (this) {
            if (state != State.HELD || now - ends < 0) {
                return;
            }
            state = State.ENDING;
            expired = true;
            wasHeld = false;
        }
        store.bury(this);
        delete();
    }

    // ---------------------------------------------------------------- ending

    /** Deletes the node, however far it has come; completes when it is certainly gone. */
    @Override
    public CompletableFuture<ReleaseResult> release() {
        boolean now;
        synchronized (this) {
            now = state == State.HELD || state == State.WAITING || state == State.DECIDING;
            if (now) {
                state = State.ENDING;
                cancelTimers();
            } else if (state == State.CREATING) {
                abandoned = true;
            }
        }
        if (now) {
            delete();
        }
        return ended;
    }

    /** True for the one caller who may put the deletion into a transaction of his own. */
    synchronized boolean beginExchange() {
        if (state != State.HELD || revoked || expired) {
            return false;
        }
        state = State.ENDING;
        return true;
    }

    /** What an exchange deletes. */
    synchronized List<Op> deletions() {
        List<Op> ops = new ArrayList<>(2);
        if (path != null) {
            ops.add(Op.delete(path, -1));
        }
        if (delayWritten) {
            ops.add(Op.delete(delayPath(), -1));
        }
        return ops;
    }

    /** Whether the node that replaces this one may turn out to be alone by its number. */
    boolean isFamiliar() {
        Familiar.Name known;
        synchronized (this) {
            known = clean ? familiar : null;
        }
        return session.familiar.knows(parent, known);
    }

    /** The node is gone with the exchange, or has to be deleted by itself after all. */
    void exchanged(boolean gone) {
        if (gone) {
            left();
            gone();
        } else {
            delete();
        }
    }

    private void delete() {
        String own;
        boolean withDelay;
        boolean lost;
        synchronized (this) {
            own = path;
            withDelay = delayWritten;
            lost = expired;
        }
        if (own == null) {
            gone();
        } else if (withDelay) {
            Op delay = lost
                    ? Op.setData(delayPath(), new DelayData(claim.lockDelay(), true).bytes(), -1)
                    : Op.delete(delayPath(), -1);
            session.zk.multi(
                    List.of(Op.delete(own, -1), delay),
                    (int rc, String asked, Object context, List<OpResult> results) -> {
                        if (rc == Code.NONODE.intValue()) {
                            // One of the two is gone already: the other one by itself.
                            synchronized (this) {
                                delayWritten = false;
                            }
                            if (!lost) {
                                session.zk.delete(delayPath(), -1, (code, p, c) -> {}, null);
                            }
                            delete();
                        } else {
                            deleted(rc);
                        }
                    },
                    null);
        } else {
            session.zk.delete(own, -1, (rc, asked, context) -> step(() -> deleted(rc)), null);
        }
    }

    /** A request that deletes the node was sent, and its answer was lost. */
    synchronized void unanswered() {
        unanswered = true;
    }

    private void deleted(int rc) {
        if (rc == Code.CONNECTIONLOSS.intValue()) {
            unanswered();
            session.onceConnected(this::delete);
        } else if (rc == Code.OK.intValue()) {
            left();
            gone();
        } else if (rc == Code.NONODE.intValue()) {
            goneBefore();
        } else {
            failedToEnd(store.trouble("releasing lock '" + claim.lockName() + "'", rc));
        }
    }

    /** The node was gone when its deletion arrived: the lease ended before its release (promise 6), or by a lost one (C6). */
    private void goneBefore() {
        boolean unknown;
        synchronized (this) {
            unknown = unanswered && wasHeld;
            wasHeld = false;
        }
        if (unknown) {
            failedToEnd(new StoreUnavailableException(
                    "releasing lock '" + claim.lockName() + "': the answer of store "
                            + store.info().location() + " was lost, and the node is gone now",
                    true,
                    null));
        } else {
            gone();
        }
    }

    private void failedToEnd(StoreUnavailableException failure) {
        finish();
        ended.completeExceptionally(failure);
    }

    /** The node was deleted by the request that was just answered. */
    private void left() {
        NodeName own;
        Familiar.Name known;
        synchronized (this) {
            own = clean && wasHeld ? NodeName.of(claim, nodeName()) : null;
            known = familiar;
        }
        if (own != null) {
            session.familiar.left(parent, own.sequence(), known);
        }
    }

    private void gone() {
        boolean held;
        synchronized (this) {
            held = wasHeld;
        }
        finish();
        ended.complete(held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
    }

    private void finish() {
        synchronized (this) {
            state = State.OVER;
            cancelTimers();
        }
        store.forget(this);
    }

    /** Under the monitor. */
    private void cancelTimers() {
        if (waitTimer != null) {
            waitTimer.cancel();
            waitTimer = null;
        }
        if (delayTimer != null) {
            delayTimer.cancel();
            delayTimer = null;
        }
    }

    /** The request failed before it was decided. */
    private void fail(StoreUnavailableException failure) {
        State before;
        synchronized (this) {
            before = state;
        }
        if (before == State.HELD || before == State.OVER) {
            return;
        }
        if (before == State.CREATING) {
            // The server refused to create anything, or the session is over: nothing is left to delete.
            finish();
            ended.complete(new ReleaseResult.NotHeld(null));
        } else {
            release();
        }
        answer.completeExceptionally(failure);
        refusal.completeExceptionally(failure);
        granted.completeExceptionally(failure);
    }

    /** The node or its session is gone without our doing. */
    @Override
    public void over(LossReason reason, String why) {
        State before;
        synchronized (this) {
            before = state;
            if (before == State.OVER || before == State.ENDING) {
                if (before == State.OVER || !session.isOver()) {
                    return;
                }
            }
            state = State.OVER;
            cancelTimers();
        }
        store.bury(this);
        StoreUnavailableException failure = new StoreUnavailableException(
                "the place of " + claim.label() + " for lock '" + claim.lockName() + "' is gone: " + why,
                before != State.WAITING,
                null);
        if (before == State.HELD) {
            Outcomes.guarded(() -> store.signals().lost(claim.holder(), reason));
            ended.complete(new ReleaseResult.NotHeld(null));
        } else if (before == State.ENDING) {
            ended.completeExceptionally(failure);
        } else {
            ended.complete(new ReleaseResult.NotHeld(null));
            answer.completeExceptionally(failure);
            refusal.completeExceptionally(failure);
            granted.completeExceptionally(failure);
        }
    }

    private synchronized String nodeName() {
        return path == null ? "" : path.substring(parent.length() + 1);
    }

    private String delayPath() {
        return parent + "/" + Line.delayNode(claim.holder());
    }
}
