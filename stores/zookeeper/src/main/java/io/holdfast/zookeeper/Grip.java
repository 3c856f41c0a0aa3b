package io.holdfast.zookeeper;

import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Term;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * One claim on a name's single node. {@code ASKING → HELD → ENDING → OVER}; what was refused goes from ASKING to OVER.
 * After an unknown outcome the node is recognised by its owner and content, which has the holder id.
 */
final class Grip implements Kept {
    private enum State {
        ASKING,
        HELD,
        ENDING,
        OVER
    }

    private final ZooKeeperSingleStore store;
    private final Session session;
    private final Claim claim;
    private final String parent;
    private final byte[] data;
    private final CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
    private final CompletableFuture<ReleaseResult> ended = new CompletableFuture<>();

    private State state = State.ASKING;
    private boolean abandoned;
    private boolean wasHeld;
    private boolean revoked;
    private boolean unanswered;
    private boolean armed;
    private int version;
    private long czxid;
    private long ends;
    private @Nullable Granted grant;

    Grip(ZooKeeperSingleStore store, Session session, Claim claim) {
        this.store = store;
        this.session = session;
        this.claim = claim;
        this.parent = store.paths().name(claim.lockName());
        byte[] lines = ClaimData.of(claim, store.id);
        byte[] holder = ("\n" + claim.holder()).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        this.data = Arrays.copyOf(lines, lines.length + holder.length);
        System.arraycopy(holder, 0, data, lines.length, holder.length);
    }

    CompletableFuture<AcquireResult> answer() {
        return answer;
    }

    @Override
    public Claim claim() {
        return claim;
    }

    @Override
    public Session session() {
        return session;
    }

    /** Creates the node and counts the acquisition, in one step. */
    void create() {
        long sent = store.now();
        session.zk.multi(
                List.of(
                        Op.create(node(), data, store.acl(), CreateMode.EPHEMERAL),
                        Op.setData(parent, new byte[0], -1)),
                (int rc, String path, Object context, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue() && results.get(1) instanceof OpResult.SetDataResult written) {
                        created(
                                sent,
                                written.getStat().getMzxid(),
                                written.getStat().getVersion());
                    } else if (rc == Code.NODEEXISTS.intValue()) {
                        refused();
                    } else if (rc == Code.NONODE.intValue()) {
                        store.makeName(session, parent, failure -> {
                            if (failure == null) {
                                create();
                            } else {
                                fail(failure);
                                finish();
                                ended.complete(new ReleaseResult.NotHeld(null));
                            }
                        });
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        fail(store.trouble("acquiring lock '" + claim.lockName() + "'", rc));
                        session.onceConnected(this::search);
                    } else {
                        fail(store.trouble("acquiring lock '" + claim.lockName() + "'", rc));
                        finish();
                        ended.complete(new ReleaseResult.NotHeld(null));
                    }
                },
                null);
    }

    private void created(long sent, long zxid, int count) {
        boolean end;
        Granted result;
        long left = session.deadline() - sent;
        synchronized (this) {
            version = count;
            czxid = zxid;
            end = abandoned || left <= 0;
            ends = sent + claim.ttl().toNanos();
            result = new Granted(
                    store.token(czxid),
                    claim.span(),
                    new Term(sent, Math.min(claim.ttl().toNanos(), left)));
            grant = result;
            state = end ? State.ENDING : State.HELD;
            wasHeld = !end;
        }
        if (end) {
            delete();
            answer.completeExceptionally(store.trouble("acquiring", Code.SESSIONMOVED.intValue()));
        } else {
            store.care().add(this, store.now());
            answer.complete(result);
        }
    }

    private void refused() {
        session.zk.getData(
                node(),
                false,
                (rc, path, context, bytes, stat) -> {
                    finish();
                    ended.complete(new ReleaseResult.NotHeld(null));
                    ZooKeeperSingleStore.@Nullable Seen seen =
                            rc == Code.OK.intValue() ? store.seen(bytes, stat) : null;
                    answer.complete(new Refused(
                            seen == null ? null : seen.holder(),
                            seen == null || seen.holder() == null
                                    ? null
                                    : seen.holder().remaining(),
                            false,
                            null));
                },
                null);
    }

    /** The outcome of the creation is unknown and its caller was told so: whatever it made is undone. */
    private void search() {
        session.zk.getData(
                node(),
                false,
                (rc, path, context, bytes, stat) -> {
                    if (rc == Code.OK.intValue()
                            && stat.getEphemeralOwner() == session.id
                            && Arrays.equals(bytes, data)) {
                        session.zk.delete(node(), stat.getVersion(), (code, p, c) -> gone(code), null);
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        session.onceConnected(this::search);
                    } else {
                        gone(Code.NONODE.intValue());
                    }
                },
                null);
    }

    private void fail(StoreUnavailableException failure) {
        synchronized (this) {
            abandoned = true;
        }
        answer.completeExceptionally(failure);
    }

    @Override
    public CompletableFuture<ReleaseResult> release() {
        boolean now;
        synchronized (this) {
            now = state == State.HELD;
            if (now) {
                state = State.ENDING;
            }
            abandoned = true;
        }
        if (now) {
            delete();
        }
        return ended;
    }

    @Override
    public void expire(long now) {
        synchronized (this) {
            if (state != State.HELD || now - ends < 0) {
                return;
            }
            state = State.ENDING;
            wasHeld = false;
        }
        store.bury(this);
        delete();
    }

    private void delete() {
        int own;
        synchronized (this) {
            own = version;
        }
        session.zk.multi(
                List.of(Op.check(parent, own), Op.delete(node(), -1)),
                (int rc, String path, Object context, List<OpResult> results) -> {
                    if (rc == Code.CONNECTIONLOSS.intValue()) {
                        synchronized (this) {
                            unanswered = true;
                        }
                        session.onceConnected(this::delete);
                    } else {
                        gone(rc);
                    }
                },
                null);
    }

    /** Released only if this deletion found the node; else it was gone before, or by a deletion whose answer was lost (C6). */
    private void gone(int rc) {
        boolean held;
        boolean unknown;
        boolean absent = rc == Code.NONODE.intValue() || rc == Code.BADVERSION.intValue();
        synchronized (this) {
            held = wasHeld && rc == Code.OK.intValue();
            unknown = (absent && unanswered && wasHeld) || !(absent || rc == Code.OK.intValue());
        }
        finish();
        if (unknown) {
            ended.completeExceptionally(store.trouble("releasing lock '" + claim.lockName() + "'", rc));
        } else {
            ended.complete(held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
        }
    }

    private void finish() {
        synchronized (this) {
            state = State.OVER;
        }
        store.forget(this);
    }

    @Override
    public void arm(Consumer<@Nullable LossReason> known) {
        session.zk.exists(
                node(),
                this::event,
                (rc, path, context, stat) -> {
                    // Its next holder may be of the same session: only the czxid tells (U4).
                    boolean ours = rc == Code.OK.intValue() && stat.getCzxid() == ownZxid();
                    if (ours) {
                        synchronized (this) {
                            armed = true;
                        }
                        if (stat.getVersion() > 0) {
                            revoked();
                        }
                    } else if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                        over(LossReason.GONE, "its node was deleted");
                    }
                    known.accept(null);
                },
                null);
    }

    private void event(WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted) {
            over(LossReason.GONE, "its node was deleted");
        } else if (event.getType() == EventType.NodeDataChanged) {
            revoked();
            arm(reason -> {});
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

    @Override
    public void over(LossReason reason, String why) {
        State before;
        synchronized (this) {
            before = state;
            if (before == State.OVER || (before == State.ENDING && !session.isOver())) {
                return;
            }
            state = State.OVER;
        }
        store.bury(this);
        StoreUnavailableException failure = new StoreUnavailableException(
                "the claim of " + claim.label() + " on lock '" + claim.lockName() + "' is gone: " + why, true, null);
        if (before == State.ENDING) {
            ended.completeExceptionally(failure);
            return;
        }
        ended.complete(new ReleaseResult.NotHeld(null));
        answer.completeExceptionally(failure);
        if (before == State.HELD) {
            Outcomes.guarded(() -> store.signals().lost(claim.holder(), reason));
        }
    }

    synchronized @Nullable Granted granted(long now) {
        Granted first = grant;
        if (state != State.HELD || first == null) {
            return null;
        }
        long left = Math.min(ends, session.deadline()) - now;
        return new Granted(first.token(), first.span(), new Term(now, Math.max(1, left)));
    }

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

    @Override
    public synchronized void extend(long begin) {
        long longer = begin + claim.ttl().toNanos();
        ends = longer - ends > 0 ? longer : ends;
    }

    @Override
    public synchronized boolean isHeld() {
        return state == State.HELD;
    }

    @Override
    public synchronized boolean isWaiting() {
        return state == State.ASKING;
    }

    @Override
    public synchronized boolean isArmed() {
        return armed;
    }

    @Override
    public synchronized long ends() {
        return ends;
    }

    private synchronized long ownZxid() {
        return czxid;
    }

    private String node() {
        return parent + ZooKeeperSingleStore.NODE;
    }
}
