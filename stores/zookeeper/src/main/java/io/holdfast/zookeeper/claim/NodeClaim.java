package io.holdfast.zookeeper.claim;

import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import io.holdfast.zookeeper.delay.DelayNode;
import io.holdfast.zookeeper.lease.HeldLease;
import io.holdfast.zookeeper.lease.OwnNode;
import io.holdfast.zookeeper.lease.SessionClaim;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.TaskFailures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * One claim in a line. It connects its state, {@link ClaimState}, with the parts that send requests: {@link NodeCreation},
 * {@link TurnDecision}, {@link OwnNode} (the watch of the node) and {@link NodeDeletion}. Each part reports outcomes to a
 * listener; none of them knows this class. {@link ClaimState} lists the states, invariants and races. Thread-safe.
 */
final class NodeClaim implements Ticket, SessionClaim {
    private final ClaimParts parts;
    private final StoreSetup setup;
    private final Session session;
    private final Claim claim;
    private final ClaimState state = new ClaimState();
    private final ClaimAnswers answers = new ClaimAnswers();
    private final DelayNode delay;
    private final NodeCreation creation;
    private final TurnDecision turn;
    private final NodeDeletion deletion;
    private final WaitTimers timers;

    /**
     * A claim whose node is not requested yet.
     *
     * @param trying whether it is refused instead of waiting
     * @param wait for how long it may wait
     */
    NodeClaim(ClaimParts parts, Session session, Claim claim, boolean trying, Duration wait) {
        this.parts = parts;
        this.setup = parts.setup();
        this.session = session;
        this.claim = claim;
        this.delay = new DelayNode(setup, session, claim);
        this.creation = new NodeCreation(setup, session, claim, this::step, new Creation());
        this.turn = new TurnDecision(parts, session, claim, trying, this::step, new Turn());
        this.deletion = new NodeDeletion(setup, session, claim, delay, this::step, new Deletion());
        this.timers = new WaitTimers(setup, wait, this::waitOver, turn::readAgain);
    }

    @Override
    public Claim claim() {
        return claim;
    }

    @Override
    public Session session() {
        return session;
    }

    ClaimAnswers answers() {
        return answers;
    }

    // ---------------------------------------------------------------- the ticket

    @Override
    public CompletionStage<Granted> granted() {
        return answers.granted();
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        return parts.release().release(claim);
    }

    @Override
    public void extend(Duration wait) {
        timers.extend(wait);
    }

    private void waitOver() {
        if (state.phase() != ClaimState.Phase.WAITING || !timers.isOver()) {
            return;
        }
        release();
        answers.fail(new StoreUnavailableException(
                "the wait of " + claim.label() + " for lock '" + claim.lockName() + "' is over", false, null));
    }

    // ---------------------------------------------------------------- creation

    /** Creates the node and reads the line, back to back: one round trip. */
    void create() {
        state.creationSent(setup.now());
        creation.create();
        turn.read();
    }

    /** For an exchange, which creates the node in its transaction. */
    NodeCreation createInTransaction() {
        state.creationSent(setup.now());
        return creation;
    }

    /** For an exchange: reads the line, back to back with the transaction. */
    void readLine() {
        turn.read();
    }

    /** After an unanswered creation: searches for the node when the connection is back. */
    void searchOnceConnected() {
        session.onceConnected(() -> {
            if (state.phase().isNodeUnknown()) {
                creation.search();
            }
        });
    }

    private final class Creation implements NodeCreation.Listener {
        @Override
        public void created(CreatedNode known) {
            OwnNode own = new OwnNode(session, known.path(), known.czxid(), new Watch());
            ClaimState.Phase before = state.known(known, own);
            if (before == null) {
                return;
            }
            if (known.owner() != session.id()) {
                // A node of another session with this holder id is no grant of this claim.
                over("its node belongs to another session");
            } else if (before == ClaimState.Phase.ABANDONED) {
                release();
            }
        }

        @Override
        public void found(CreatedNode known) {
            created(known);
            turn.readAgain();
        }

        @Override
        public void absent() {
            ClaimState.Phase now = state.phase();
            if (now == ClaimState.Phase.ABANDONED) {
                over("it was given up");
            } else if (now == ClaimState.Phase.CREATING) {
                create();
            }
        }

        @Override
        public void unanswered() {
            searchOnceConnected(); // the caller has its I/O timeout
        }

        @Override
        public void failed(StoreUnavailableException failure) {
            fail(failure);
        }
    }

    // ---------------------------------------------------------------- decision

    private final class Turn implements TurnDecision.Claimant {
        @Override
        public @Nullable OwnNode node() {
            return state.nodeInLine();
        }

        @Override
        public long leaderMillis() {
            return state.leaderMillis(setup.now());
        }

        @Override
        public boolean startWaiting() {
            if (!state.startWaiting()) {
                return false;
            }
            timers.start();
            watchNode();
            return true;
        }

        @Override
        public boolean startWaiting(Duration lockDelay) {
            if (!startWaiting()) {
                return false;
            }
            timers.startDelay(lockDelay);
            return true;
        }

        @Override
        public void queued(Refused obstacle) {
            answers.queue(new Queued(NodeClaim.this, obstacle));
        }

        @Override
        public void refused(Refused obstacle) {
            release().whenComplete((result, failure) -> answers.refuse(obstacle));
        }

        @Override
        public void first(boolean delayWritten) {
            if (delayWritten || claim.lockDelay().isZero()) {
                grant();
            } else {
                state.ifTurnWanted(() -> delay.write(NodeClaim.this::delayWritten));
            }
        }

        @Override
        public void deleted() {
            over("its node was deleted");
        }

        @Override
        public void failed(StoreUnavailableException failure) {
            fail(failure);
        }
    }

    private void delayWritten(int rc) {
        if (rc == Code.OK.intValue() || rc == Code.NODEEXISTS.intValue()) {
            parts.abandoned().written(session);
            grant();
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            session.onceConnected(turn::readAgain);
        } else {
            fail(setup.errors().answered("writing the lock-delay of lock '" + claim.lockName() + "'", rc));
        }
    }

    // ---------------------------------------------------------------- holding

    private void grant() {
        OwnNode own = state.nodeInLine();
        if (own == null) {
            return;
        }
        long now = setup.now();
        long deadline = session.deadline();
        if (deadline - now <= 0) {
            // No recent heartbeat proves that the session is alive: a new one has to be answered first.
            session.beat(zxid -> grantInTime(), this::inDoubt);
            return;
        }
        HeldLease lease = state.grant(claim, setup.token(own.czxid()), now, deadline);
        if (lease != null) {
            timers.cancel();
            parts.claims().granted(this);
            answers.grant(lease.grant());
        }
    }

    private void grantInTime() {
        if (session.deadline() - setup.now() > 0) {
            grant();
        } else {
            inDoubt();
        }
    }

    private void inDoubt() {
        String what = "lock '" + claim.lockName() + "': store " + setup.errors().location()
                + " does not confirm its session, so its grants cannot be relied on";
        fail(setup.errors().unknown(what, null));
    }

    private final class Watch implements OwnNode.Listener {
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
    }

    private void tellLoss(LossReason reason) {
        TaskFailures.logged(() -> setup.context().signals().lost(claim.holder(), reason));
    }

    @Override
    public void watchNode() {
        OwnNode own = state.node();
        if (own != null) {
            own.watch();
        }
    }

    @Override
    public @Nullable LossReason obstacleToRenewal(long sent) {
        return state.obstacleToRenewal(sent);
    }

    @Override
    public void extend(long begin) {
        state.extend(begin);
    }

    /** The grant as it stands, for a repeated request; null if the claim is not held. */
    @Nullable
    Granted held() {
        return state.held(setup.now(), session.deadline());
    }

    @Override
    public long ends() {
        return state.ends();
    }

    @Override
    public boolean isHeld() {
        return state.phase() == ClaimState.Phase.HELD;
    }

    @Override
    public boolean isUndecided() {
        return state.isUndecided();
    }

    // ---------------------------------------------------------------- deletion

    @Override
    public CompletableFuture<ReleaseResult> release() {
        NodeDeletion.Reason reason = state.release();
        if (reason != null) {
            beginDeletion(reason);
            deletion.send();
        }
        return answers.ended();
    }

    @Override
    public void expire(long now) {
        if (state.expire(now)) {
            beginDeletion(NodeDeletion.Reason.EXPIRY);
            parts.claims().bury(this);
            deletion.send();
        }
    }

    /** For an exchange, which deletes the node in its transaction; null if the claim is not held any more. */
    @Nullable
    NodeDeletion deleteInTransaction() {
        if (!state.exchange()) {
            return null;
        }
        beginDeletion(NodeDeletion.Reason.RELEASE);
        return deletion;
    }

    private void beginDeletion(NodeDeletion.Reason reason) {
        timers.cancel();
        OwnNode own = state.node();
        deletion.begin(own == null ? "" : own.path(), reason);
    }

    private final class Deletion implements NodeDeletion.Listener {
        @Override
        public void deleted(ReleaseResult result) {
            finish();
            answers.end(result);
        }

        @Override
        public void failed(StoreUnavailableException failure) {
            finish();
            answers.failToEnd(failure);
        }
    }

    private void finish() {
        state.finish();
        timers.cancel();
        parts.claims().forget(this);
    }

    // ---------------------------------------------------------------- other ends

    /** The request failed before it was decided. */
    private void fail(StoreUnavailableException failure) {
        ClaimState.Phase before = state.phase();
        if (before == ClaimState.Phase.HELD || before == ClaimState.Phase.OVER) {
            return;
        }
        if (before.isNodeUnknown()) {
            // The server refused to create a node, or the session is over: nothing is left to delete.
            finish();
            answers.end(new ReleaseResult.NotHeld(null));
        } else {
            release();
        }
        answers.fail(failure);
    }

    @Override
    public void over(String why) {
        ClaimState.Phase before = state.over(session.isOver());
        if (before == null) {
            return;
        }
        timers.cancel();
        parts.claims().bury(this);
        StoreUnavailableException failure = new StoreUnavailableException(
                "the claim of " + claim.label() + " on lock '" + claim.lockName() + "' is gone: " + why,
                before != ClaimState.Phase.WAITING,
                null);
        if (before == ClaimState.Phase.ENDING) {
            answers.failToEnd(failure);
            return;
        }
        if (before == ClaimState.Phase.HELD) {
            tellLoss(LossReason.GONE);
        }
        answers.end(new ReleaseResult.NotHeld(null));
        answers.fail(failure);
    }

    /** Runs what is done with an answer of ZooKeeper (L13). */
    private void step(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            ClaimState.Phase before = state.abandon();
            if (before == ClaimState.Phase.ENDING) {
                deletion.repeat();
            } else if (before != ClaimState.Phase.HELD && before != ClaimState.Phase.OVER) {
                timers.cancel();
                searchOnceConnected();
                String what = "lock '" + claim.lockName() + "': a step of its request failed";
                answers.fail(setup.errors().unknown(what, failure));
            }
        }
    }
}
