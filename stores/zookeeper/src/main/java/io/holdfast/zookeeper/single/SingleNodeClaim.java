package io.holdfast.zookeeper.single;

import io.holdfast.Holder;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.zookeeper.lease.ClaimRegistry;
import io.holdfast.zookeeper.lease.HeldLease;
import io.holdfast.zookeeper.lease.OwnNode;
import io.holdfast.zookeeper.lease.SessionClaim;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.TaskFailures;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * One claim on the single node of a lock.
 *
 * <pre>
 *   ASKING ──created──▶ HELD ──release──▶ RELEASING ──▶ OVER
 *     │                  └──TTL over──▶ UNDOING ──▶ OVER        HELD ──node or session gone──▶ OVER
 *     ├──refused──▶ OVER
 *     └──release, unknown outcome──▶ ABANDONED ──created or found──▶ UNDOING
 * </pre>
 *
 * <p>RELEASING and UNDOING both delete the node; only RELEASING may end with {@code Released}.
 *
 * <p>The version of the lock's container counts its acquisitions: the transaction that creates the node writes the container
 * too, and a deletion checks that version. So a late deletion never deletes the node of another claim. After an unknown
 * outcome the node is recognised by its owner and by its content, which includes the holder id (L2).
 *
 * <p>All fields are guarded by the monitor; futures are completed outside of it.
 */
final class SingleNodeClaim implements SessionClaim, OwnNode.Listener {
    private enum State {
        ASKING,
        ABANDONED,
        HELD,
        RELEASING,
        UNDOING,
        OVER
    }

    private final StoreSetup setup;
    private final ClaimRegistry<SingleNodeClaim> claims;
    private final Session session;
    private final Claim claim;
    private final String parent;
    private final String path;
    private final byte[] content;
    private final CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
    private final CompletableFuture<ReleaseResult> ended = new CompletableFuture<>();

    private State state = State.ASKING;
    /** A deletion was not answered: if the node is gone later, it is not known which deletion that was. */
    private boolean answerLost;

    private int acquisition;
    private @Nullable OwnNode node;
    private @Nullable HeldLease lease;

    SingleNodeClaim(StoreSetup setup, ClaimRegistry<SingleNodeClaim> claims, Session session, Claim claim) {
        this.setup = setup;
        this.claims = claims;
        this.session = session;
        this.claim = claim;
        this.parent = setup.paths().name(claim.lockName());
        this.path = parent + SingleNodeLocks.NODE;
        byte[] lines = ClaimData.of(claim, setup.id());
        byte[] holder = ("\n" + claim.holder()).getBytes(StandardCharsets.US_ASCII);
        this.content = Arrays.copyOf(lines, lines.length + holder.length);
        System.arraycopy(holder, 0, content, lines.length, holder.length);
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

    // ---------------------------------------------------------------- creation

    /** Creates the node and counts the acquisition, in one transaction. */
    void create() {
        long sent = setup.now();
        session.zk.multi(
                List.of(
                        Op.create(path, content, setup.acl(), CreateMode.EPHEMERAL),
                        Op.setData(parent, new byte[0], -1)),
                (int rc, String asked, Object context, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue() && results.get(1) instanceof OpResult.SetDataResult written) {
                        created(
                                sent,
                                written.getStat().getMzxid(),
                                written.getStat().getVersion());
                    } else {
                        notCreated(rc);
                    }
                },
                null);
    }

    private void notCreated(int rc) {
        if (rc == Code.NODEEXISTS.intValue()) {
            refused();
        } else if (rc == Code.NONODE.intValue()) {
            setup.parents().makeContainer(session, parent, failure -> {
                if (failure == null) {
                    create();
                } else {
                    fail(failure);
                }
            });
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            abandon(setup.errors().answered(what(), rc));
            session.onceConnected(this::search);
        } else {
            fail(setup.errors().answered(what(), rc));
        }
    }

    private void created(long sent, long czxid, int count) {
        boolean undo;
        HeldLease begun = null;
        long deadline = session.deadline();
        synchronized (this) {
            acquisition = count;
            node = new OwnNode(session, path, czxid, this);
            undo = state == State.ABANDONED || deadline - sent <= 0;
            state = undo ? State.UNDOING : State.HELD;
            if (!undo) {
                begun = HeldLease.begin(claim, setup.token(czxid), sent, deadline);
                lease = begun;
            }
        }
        if (begun == null) {
            delete();
            answer.completeExceptionally(setup.errors().answered(what(), Code.SESSIONMOVED.intValue()));
        } else {
            claims.granted(this);
            answer.complete(begun.grant());
        }
    }

    private void refused() {
        session.zk.getData(
                path,
                false,
                (rc, asked, context, data, stat) -> {
                    finish();
                    ended.complete(new ReleaseResult.NotHeld(null));
                    ClaimData found = rc == Code.OK.intValue() ? ClaimData.parse(data) : null;
                    Holder holder = found == null ? null : found.holder(Mode.EXCLUSIVE, setup.token(stat.getCzxid()));
                    answer.complete(new Refused(holder, holder == null ? null : holder.remaining(), false, null));
                },
                null);
    }

    /** After an unknown outcome, which the caller was told: deletes the node if there is one. */
    private void search() {
        session.zk.getData(
                path,
                false,
                (rc, asked, context, data, stat) -> {
                    if (rc == Code.OK.intValue()
                            && stat.getEphemeralOwner() == session.id()
                            && Arrays.equals(data, content)) {
                        session.zk.delete(path, stat.getVersion(), (code, p, c) -> deleted(code), null);
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        session.onceConnected(this::search);
                    } else {
                        deleted(Code.NONODE.intValue());
                    }
                },
                null);
    }

    private void abandon(StoreUnavailableException failure) {
        synchronized (this) {
            state = state == State.ASKING ? State.ABANDONED : state;
        }
        answer.completeExceptionally(failure);
    }

    /** No node was created. */
    private void fail(StoreUnavailableException failure) {
        answer.completeExceptionally(failure);
        finish();
        ended.complete(new ReleaseResult.NotHeld(null));
    }

    // ---------------------------------------------------------------- deletion

    @Override
    public CompletableFuture<ReleaseResult> release() {
        boolean begun;
        synchronized (this) {
            begun = state == State.HELD;
            if (begun) {
                state = State.RELEASING;
            } else if (state == State.ASKING) {
                state = State.ABANDONED;
            }
        }
        if (begun) {
            delete();
        }
        return ended;
    }

    @Override
    public void expire(long now) {
        synchronized (this) {
            if (state != State.HELD || lease == null || !lease.isOverAt(now)) {
                return;
            }
            state = State.UNDOING;
        }
        claims.bury(this);
        delete();
    }

    private void delete() {
        int own;
        synchronized (this) {
            own = acquisition;
        }
        session.zk.multi(
                List.of(Op.check(parent, own), Op.delete(path, -1)),
                (int rc, String asked, Object context, List<OpResult> results) -> {
                    if (rc == Code.CONNECTIONLOSS.intValue()) {
                        synchronized (this) {
                            answerLost = true;
                        }
                        session.onceConnected(this::delete);
                    } else {
                        deleted(rc);
                    }
                },
                null);
    }

    /** {@code Released} only if this deletion found the node; otherwise the node was gone before, perhaps by a lost one (C6). */
    private void deleted(int rc) {
        boolean released;
        boolean unknown;
        boolean absent = rc == Code.NONODE.intValue() || rc == Code.BADVERSION.intValue();
        synchronized (this) {
            released = state == State.RELEASING;
            unknown = absent ? answerLost && released : rc != Code.OK.intValue();
        }
        finish();
        if (unknown) {
            ended.completeExceptionally(setup.errors().answered("releasing lock '" + claim.lockName() + "'", rc));
        } else {
            ended.complete(released && !absent ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
        }
    }

    private void finish() {
        synchronized (this) {
            state = State.OVER;
        }
        claims.forget(this);
    }

    // ---------------------------------------------------------------- loss

    @Override
    public void watchNode() {
        OwnNode own;
        synchronized (this) {
            own = node;
        }
        if (own != null) {
            own.watch();
        }
    }

    @Override
    public void deleted() {
        over("its node was deleted");
    }

    @Override
    public void revoked() {
        if (isHeld()) {
            tellLoss(LossReason.REVOKED);
        }
    }

    @Override
    public void over(String why) {
        State before;
        synchronized (this) {
            before = state;
            boolean ending = before == State.RELEASING || before == State.UNDOING;
            if (before == State.OVER || (ending && !session.isOver())) {
                return;
            }
            state = State.OVER;
        }
        claims.bury(this);
        StoreUnavailableException failure = new StoreUnavailableException(
                "the claim of " + claim.label() + " on lock '" + claim.lockName() + "' is gone: " + why, true, null);
        if (before == State.RELEASING || before == State.UNDOING) {
            ended.completeExceptionally(failure);
            return;
        }
        ended.complete(new ReleaseResult.NotHeld(null));
        answer.completeExceptionally(failure);
        if (before == State.HELD) {
            tellLoss(LossReason.GONE);
        }
    }

    private void tellLoss(LossReason reason) {
        TaskFailures.logged(() -> setup.context().signals().lost(claim.holder(), reason));
    }

    // ---------------------------------------------------------------- the lease

    /** The grant as it stands, for a repeated request; null if the claim is not held. */
    synchronized @Nullable Granted held() {
        return state == State.HELD && lease != null ? lease.remaining(setup.now(), session.deadline()) : null;
    }

    @Override
    public synchronized @Nullable LossReason obstacleToRenewal(long sent) {
        if (node != null && node.isRevoked()) {
            return LossReason.REVOKED;
        }
        if (state != State.HELD || lease == null) {
            return LossReason.GONE;
        }
        return lease.isOverAt(sent) ? LossReason.EXPIRED : null;
    }

    @Override
    public synchronized void extend(long begin) {
        if (lease != null) {
            lease.extend(begin);
        }
    }

    @Override
    public synchronized long ends() {
        return lease == null ? 0 : lease.ends();
    }

    @Override
    public synchronized boolean isHeld() {
        return state == State.HELD;
    }

    @Override
    public synchronized boolean isUndecided() {
        return state == State.ASKING || state == State.ABANDONED;
    }

    private String what() {
        return "acquiring lock '" + claim.lockName() + "'";
    }
}
