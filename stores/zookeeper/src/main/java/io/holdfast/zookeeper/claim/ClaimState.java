package io.holdfast.zookeeper.claim;

import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.zookeeper.lease.HeldLease;
import io.holdfast.zookeeper.lease.OwnNode;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one claim in a line, from the request that creates its node until the node is gone.
 *
 * <pre>
 *   CREATING ──node known──▶ DECIDING ──first in line──▶ HELD ──release, TTL over──▶ ENDING ──node gone──▶ OVER
 *      │                       │  ▲                       │
 *      │ release               ▼  │ obstacle gone         └──node or session gone─────────────────────▶ OVER
 *      ▼                      WAITING
 *   ABANDONED ──node known──▶ ENDING          DECIDING and WAITING ──release──▶ ENDING
 * </pre>
 *
 * <ul>
 *   <li>CREATING: a request that creates the node was sent; whether there is a node is not known.
 *   <li>ABANDONED: as CREATING, but the claim is not wanted any more. Its node is deleted as soon as it is known.
 *   <li>DECIDING: the node is known, and the line is being read.
 *   <li>WAITING: another claim or a lock-delay is in the way, and is watched.
 *   <li>HELD: the claim is granted.
 *   <li>ENDING: the node is being deleted.
 *   <li>OVER: final. There is no node, or it belongs to another session.
 * </ul>
 *
 * <p>Invariants, which {@link NodeClaim} and its parts keep with the transitions below:
 *
 * <ul>
 *   <li>I1: at most one node per holder id. A creation that was not answered is not repeated before a search by holder id,
 *       after a sync, has found nothing (L2).
 *   <li>I2: HELD only if the node was created by <em>this</em> session, no claim or lock-delay is in its way, the node
 *       existed when the last of them went, and the session is certainly alive (U3).
 *   <li>I3: after a release or cancel the claim is never granted (U15).
 *   <li>I4: a deletion that was not answered is repeated for as long as the session lives (L2).
 *   <li>I5: the lock-delay is written before the lease is returned (L10), and never after the deletion was sent.
 * </ul>
 *
 * <p>Races considered:
 *
 * <ul>
 *   <li><em>A release during the creation</em> moves CREATING to ABANDONED. The answer that makes the node known then starts
 *       the deletion instead of the decision (I3).
 *   <li><em>A release during a decision</em> moves the state to ENDING. {@link #grant} checks the state in the same monitor
 *       and grants nothing (I3).
 *   <li><em>A release while the lock-delay is written.</em> The request that writes it is sent under the monitor, after a
 *       check of the state ({@link #ifTurnWanted}). So it is sent before the deletion, which then includes it, or not at all
 *       (I5).
 *   <li><em>A step that throws</em>, an {@code Error} included (L13), is a request with an unknown outcome: {@link #abandon}.
 *       Its caller is told so, and the node is searched for and deleted.
 *   <li><em>The session ends during a deletion.</em> The node is gone with it. Whether the deletion was executed before is not
 *       known, and the release is told so.
 *   <li><em>A session that ended and a late answer.</em> OVER is final; {@link #known} ignores the answer.
 * </ul>
 *
 * <p>Thread-safe. Nothing here blocks, completes a future or calls other code, except the request in {@link #ifTurnWanted}.
 */
final class ClaimState {
    enum Phase {
        CREATING,
        ABANDONED,
        DECIDING,
        WAITING,
        HELD,
        ENDING,
        OVER;

        private static final Set<Phase> NODE_UNKNOWN = EnumSet.of(CREATING, ABANDONED);
        private static final Set<Phase> WANTS_TURN = EnumSet.of(DECIDING, WAITING);

        /** Whether it is not known if there is a node. */
        boolean isNodeUnknown() {
            return NODE_UNKNOWN.contains(this);
        }

        /** Whether the node is in line and not granted. */
        boolean wantsTurn() {
            return WANTS_TURN.contains(this);
        }
    }

    private Phase phase = Phase.CREATING;
    private long requestSent;
    private @Nullable CreatedNode created;
    private @Nullable OwnNode node;
    private @Nullable HeldLease lease;

    synchronized Phase phase() {
        return phase;
    }

    synchronized boolean isUndecided() {
        return phase.isNodeUnknown() || phase.wantsTurn();
    }

    /** A request that creates the node is about to be sent. */
    synchronized void creationSent(long now) {
        requestSent = now;
    }

    /** The node is known. Returns the phase before, CREATING or ABANDONED; null if this is no news. */
    synchronized @Nullable Phase known(CreatedNode answer, OwnNode own) {
        Phase before = phase;
        if (!before.isNodeUnknown()) {
            return null;
        }
        created = answer;
        node = own;
        phase = Phase.DECIDING;
        return before;
    }

    /** The own node; null if it is not known. */
    synchronized @Nullable OwnNode node() {
        return node;
    }

    /** The own node, if the claim still wants its turn; otherwise null. */
    synchronized @Nullable OwnNode nodeInLine() {
        return phase.wantsTurn() ? node : null;
    }

    /** What the leader's clock shows; 0 if that is not known. */
    synchronized long leaderMillis(long now) {
        return created == null ? 0 : created.leaderMillisAt(now);
    }

    /** To WAITING; false if the claim does not want its turn any more. */
    synchronized boolean startWaiting() {
        boolean wanted = phase.wantsTurn();
        phase = wanted ? Phase.WAITING : phase;
        return wanted;
    }

    /** Sends a request that must not follow the deletion of the node. */
    synchronized void ifTurnWanted(Runnable request) {
        if (phase.wantsTurn()) {
            request.run();
        }
    }

    /**
     * To HELD; null if the claim does not want its turn any more.
     *
     * @param token of the grant
     * @param sessionDeadline until when the session is certainly alive, later than {@code now}
     */
    synchronized @Nullable HeldLease grant(Claim claim, long token, long now, long sessionDeadline) {
        if (!phase.wantsTurn()) {
            return null;
        }
        // A pushed grant begins now, an immediate one with its request.
        long begin = phase == Phase.WAITING ? now : requestSent;
        lease = HeldLease.begin(claim, token, begin, sessionDeadline);
        phase = Phase.HELD;
        return lease;
    }

    /** A release: to ENDING or ABANDONED. Returns why the node is to be deleted; null if there is nothing to delete now. */
    synchronized NodeDeletion.@Nullable Reason release() {
        if (phase == Phase.CREATING) {
            phase = Phase.ABANDONED;
        }
        if (phase != Phase.HELD && !phase.wantsTurn()) {
            return null;
        }
        boolean held = phase == Phase.HELD;
        phase = Phase.ENDING;
        return held ? NodeDeletion.Reason.RELEASE : NodeDeletion.Reason.WITHDRAWAL;
    }

    /** To ENDING, if the claim is held and was not revoked. */
    synchronized boolean exchange() {
        boolean held = phase == Phase.HELD && node != null && !node.isRevoked();
        phase = held ? Phase.ENDING : phase;
        return held;
    }

    /** To ENDING, if the claim is held and its TTL is over. */
    synchronized boolean expire(long now) {
        boolean late = phase == Phase.HELD && lease != null && lease.isOverAt(now);
        phase = late ? Phase.ENDING : phase;
        return late;
    }

    /** To ABANDONED, if the claim is not decided: its node has to be searched for. Returns the phase before. */
    synchronized Phase abandon() {
        Phase before = phase;
        phase = isUndecided() ? Phase.ABANDONED : phase;
        return before;
    }

    /** The node is gone: to OVER. */
    synchronized void finish() {
        phase = Phase.OVER;
    }

    /**
     * The node or its session is gone, and this client did not delete the node: to OVER. Returns the phase before; null if
     * the claim is over already, or is being deleted in a session that lives.
     */
    synchronized @Nullable Phase over(boolean sessionOver) {
        Phase before = phase;
        if (before == Phase.OVER || (before == Phase.ENDING && !sessionOver)) {
            return null;
        }
        phase = Phase.OVER;
        return before;
    }

    // ---------------------------------------------------------------- of a held claim

    /** Why a renewal that was sent at {@code sent} does not extend the lease; null if it does. */
    synchronized @Nullable LossReason obstacleToRenewal(long sent) {
        if (node != null && node.isRevoked()) {
            return LossReason.REVOKED;
        }
        if (phase != Phase.HELD || lease == null) {
            return LossReason.GONE;
        }
        return lease.isOverAt(sent) ? LossReason.EXPIRED : null;
    }

    synchronized void extend(long begin) {
        if (lease != null) {
            lease.extend(begin);
        }
    }

    /** When the TTL is over. */
    synchronized long ends() {
        return lease == null ? 0 : lease.ends();
    }

    /** The grant as it stands, for a repeated request; null if the claim is not held. */
    synchronized @Nullable Granted held(long now, long sessionDeadline) {
        return phase == Phase.HELD && lease != null ? lease.remaining(now, sessionDeadline) : null;
    }
}
