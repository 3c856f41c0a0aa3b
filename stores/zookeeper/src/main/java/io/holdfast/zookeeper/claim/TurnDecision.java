package io.holdfast.zookeeper.claim;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import io.holdfast.zookeeper.delay.DelayCheck;
import io.holdfast.zookeeper.delay.DelayStarts;
import io.holdfast.zookeeper.lease.OwnNode;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.line.SequenceTieBreak;
import io.holdfast.zookeeper.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when it is a claim's turn: reads the line, and while other claims or lock-delays are in the way, watches them.
 *
 * <p>An exclusive or shared claim watches the nearest claim in its way, so that the end of one claim wakes one waiter. A
 * permit watches the whole line, because the end of any claim before it may make room.
 *
 * <p>The deletion of the watched node is the turn itself, without another read, if it was the only obstacle
 * ({@link Obstacle#endIsTurn}) and the own node is watched. Later claims stand behind the own node; and because events come
 * in the order of ZooKeeper's log, the own node existed when the obstacle went.
 *
 * <p>Reads are numbered. An answer that was overtaken by a later read is ignored, and so is an event of a node that is no
 * longer the watched one. The fields are guarded by the monitor; the claimant is called outside of it.
 */
final class TurnDecision {
    /** The claim, as far as its turn is concerned. */
    interface Claimant {
        /** The own node; null unless the claim still wants its turn. */
        @Nullable
        OwnNode node();

        /** What the leader's clock shows; 0 if that is not known. */
        long leaderMillis();

        /** Other claims are in the way: the claim waits, and watches its own node. False if it wants no turn any more. */
        boolean startWaiting();

        /** As above; a lock-delay is in the way, and the line is read again after it. */
        boolean startWaiting(Duration lockDelay);

        /** It waits, and the watch is set. */
        void queued(Refused obstacle);

        /** Another claim or a lock-delay is in the way of a try. */
        void refused(Refused obstacle);

        /** It is its turn; {@code delayWritten} if its own lock-delay is written already. */
        void first(boolean delayWritten);

        /** Its node is gone. */
        void deleted();

        /** The server refused a request. */
        void failed(StoreUnavailableException failure);
    }

    /** The claim that is watched. */
    private static final class Obstacle {
        final NodeName node;
        /** Whether its end makes the own claim first, with no lock-delay to look at. */
        boolean endIsTurn;

        Obstacle(NodeName node, boolean endIsTurn) {
            this.node = node;
            this.endIsTurn = endIsTurn;
        }
    }

    private final StoreSetup setup;
    private final DelayStarts starts;
    private final Session session;
    private final Claim claim;
    private final boolean trying;
    private final String parent;
    private final Executor steps;
    private final Claimant claimant;

    private int reads;
    private @Nullable Obstacle obstacle;
    /** The line that the last decision was about; of permits only. */
    private Set<String> decided = Set.of();

    /**
     * For one claim.
     *
     * @param trying whether the claim is refused instead of waiting
     * @param steps runs what is done with an answer, and handles what that throws
     */
    TurnDecision(ClaimParts parts, Session session, Claim claim, boolean trying, Executor steps, Claimant claimant) {
        this.setup = parts.setup();
        this.starts = parts.starts();
        this.session = session;
        this.claim = claim;
        this.trying = trying;
        this.parent = setup.paths().name(claim.lockName());
        this.steps = steps;
        this.claimant = claimant;
    }

    // ---------------------------------------------------------------- the line

    /** Reads the line, if the claim still wants its turn. */
    void readAgain() {
        if (claimant.node() != null) {
            read();
        }
    }

    /** Reads the line. Is also sent right behind the creation of the node: ZooKeeper keeps a session's order. */
    void read() {
        int number;
        synchronized (this) {
            number = ++reads;
            obstacle = null;
        }
        session.zk.getChildren(
                parent,
                false,
                (int rc, String asked, Object context, List<String> children) ->
                        steps.execute(() -> answered(number, rc, children)),
                null);
    }

    private void answered(int number, int rc, List<String> children) {
        OwnNode node = claimant.node();
        if (node == null || !isLast(number)) {
            return;
        }
        if (rc == Code.OK.intValue()) {
            if (claim.mode() == Mode.PERMIT) {
                synchronized (this) {
                    decided = Set.copyOf(children);
                }
            }
            decide(Line.of(children), node);
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            session.onceConnected(this::readAgain);
        } else if (rc == Code.NONODE.intValue()) {
            claimant.deleted();
        } else {
            claimant.failed(setup.errors().answered("listing lock '" + claim.lockName() + "'", rc));
        }
    }

    private synchronized boolean isLast(int number) {
        return number == reads;
    }

    private void decide(Line line, OwnNode node) {
        // By the whole name: a node of a dead session may have the same holder id.
        NodeName own = line.named(node.name());
        if (own == null) {
            claimant.deleted();
            return;
        }
        SequenceTieBreak tie = new SequenceTieBreak(line, own, node.czxid());
        if (tie.tied().isEmpty()) {
            decide(line, own);
        } else {
            readTied(tie, own);
        }
    }

    private void readTied(SequenceTieBreak tie, NodeName own) {
        AtomicInteger open = new AtomicInteger(tie.tied().size());
        AtomicBoolean lost = new AtomicBoolean();
        for (NodeName each : tie.tied()) {
            session.zk.exists(
                    parent + "/" + each.text(),
                    false,
                    (rc, path, context, stat) -> {
                        if (rc == Code.OK.intValue()) {
                            tie.add(each, stat.getCzxid());
                        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                            lost.set(true);
                        }
                        if (open.decrementAndGet() > 0) {
                            return;
                        }
                        if (lost.get()) {
                            session.onceConnected(this::readAgain);
                        } else {
                            decide(tie.resolved(), own);
                        }
                    },
                    null);
        }
    }

    /** Decides about a line whose order is known. */
    private void decide(Line line, NodeName own) {
        List<NodeName> obstacles = line.obstacles(own);
        List<HolderId> orphans = line.orphans();
        if (!obstacles.isEmpty() && trying) {
            HolderLookup.read(setup, session, parent, obstacles.get(0), holder -> claimant.refused(heldBy(holder)));
        } else if (!obstacles.isEmpty()) {
            waitFor(obstacles, line.hasDelays());
        } else if (!orphans.isEmpty()) {
            new DelayCheck(setup, starts, session, claimant.leaderMillis(), new Delays()).start(parent, orphans);
        } else {
            claimant.first(line.hasDelayOf(claim.holder()));
        }
    }

    private static Refused heldBy(@Nullable Holder holder) {
        return new Refused(holder, holder == null ? null : holder.remaining(), false, null);
    }

    // ---------------------------------------------------------------- waiting

    private void waitFor(List<NodeName> obstacles, boolean delays) {
        NodeName nearest = obstacles.get(obstacles.size() - 1);
        // Beside a shared claim other claims hold, whose lock-delays may have started since: it reads the line again.
        boolean endIsTurn =
                obstacles.size() == 1 && !delays && claim.lockDelay().isZero() && claim.mode() == Mode.EXCLUSIVE;
        int number;
        Obstacle watched = new Obstacle(nearest, endIsTurn);
        synchronized (this) {
            number = reads;
            obstacle = watched;
        }
        if (!claimant.startWaiting()) {
            return;
        }
        if (claim.mode() == Mode.PERMIT) {
            watchLine(number, watched);
        } else {
            watchObstacle(number, watched);
        }
    }

    private void watchObstacle(int number, Obstacle watched) {
        session.zk.getData(
                parent + "/" + watched.node.text(),
                event -> steps.execute(() -> changed(watched, event)),
                (rc, asked, context, data, stat) -> steps.execute(() -> watching(number, watched, rc, data, stat)),
                null);
    }

    private void watching(int number, Obstacle watched, int rc, byte @Nullable [] data, @Nullable Stat stat) {
        if (rc == Code.OK.intValue() && stat != null) {
            ClaimData found = ClaimData.parse(data);
            synchronized (this) {
                // Its end may start a lock-delay: then the line must be read again.
                watched.endIsTurn &= found != null && found.lockDelay().isZero();
            }
            claimant.queued(
                    heldBy(found == null ? null : found.holder(watched.node.mode(), setup.token(stat.getCzxid()))));
        } else if (rc == Code.NONODE.intValue()) {
            if (isLast(number)) {
                readAgain();
            }
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            session.onceConnected(this::readAgain);
        } else {
            claimant.failed(setup.errors().answered("waiting for lock '" + claim.lockName() + "'", rc));
        }
    }

    private void changed(Obstacle watched, WatchedEvent event) {
        OwnNode node = claimant.node();
        if (event.getType() == EventType.None || node == null) {
            return;
        }
        boolean turn;
        synchronized (this) {
            if (watched != obstacle) {
                return;
            }
            turn = event.getType() == EventType.NodeDeleted && watched.endIsTurn;
        }
        if (turn && node.isWatched()) {
            claimant.first(false);
        } else {
            readAgain();
        }
    }

    private void watchLine(int number, Obstacle nearest) {
        session.zk.getChildren(
                parent,
                event -> {
                    if (event.getType() != EventType.None) {
                        readAgain();
                    }
                },
                (int rc, String asked, Object context, List<String> children) ->
                        watchingLine(number, nearest, rc, children),
                null);
    }

    private void watchingLine(int number, Obstacle nearest, int rc, List<String> children) {
        boolean same;
        synchronized (this) {
            same = rc == Code.OK.intValue() && Set.copyOf(children).equals(decided);
        }
        if (same) {
            claimant.queued(heldBy(null));
        } else if (rc == Code.OK.intValue()) {
            answered(number, rc, children);
        } else {
            watching(number, nearest, rc, null, null);
        }
    }

    private final class Delays implements DelayCheck.Listener {
        @Override
        public void running(Duration left) {
            if (trying) {
                claimant.refused(new Refused(null, left, true, left));
            } else if (claimant.startWaiting(left)) {
                claimant.queued(new Refused(null, left, true, null));
            }
        }

        @Override
        public void changed() {
            readAgain();
        }

        @Override
        public void unanswered() {
            session.onceConnected(TurnDecision.this::readAgain);
        }
    }
}
