package io.holdfast.zookeeper.delay;

import io.holdfast.spi.HolderId;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.session.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lock-delays of holders that have disappeared, for the claim that is first in line (L10). It marks those that
 * start, and removes them, each by its version, when all of them are over. A late release with the lost holder's id deletes
 * the node and so ends the delay early (U17).
 *
 * <p>One check reads each node once. Its answers come on ZooKeeper's event thread.
 */
public final class DelayCheck {
    /** Is told the result of a check. */
    public interface Listener {
        /** The lock stays closed for {@code left}. */
        void running(Duration left);

        /** The delays are over, or one of them has changed: the line has to be read again. May come more than once. */
        void changed();

        /** The connection was lost during the check. */
        void unanswered();
    }

    private final StoreSetup setup;
    private final DelayStarts starts;
    private final Session session;
    private final long leaderMillis;
    private final Listener listener;
    private final List<Op> removals = new ArrayList<>();
    private Duration longest = Duration.ZERO;
    private boolean lost;
    private int open;

    /**
     * A check through one session.
     *
     * @param leaderMillis the leader's clock, or 0 if it is not known
     */
    public DelayCheck(StoreSetup setup, DelayStarts starts, Session session, long leaderMillis, Listener listener) {
        this.setup = setup;
        this.starts = starts;
        this.session = session;
        this.leaderMillis = leaderMillis;
        this.listener = listener;
    }

    /** Reads the lock-delays of these holders. */
    public void start(String parent, List<HolderId> orphans) {
        open = orphans.size();
        for (HolderId orphan : orphans) {
            String path = parent + "/" + Line.delayNode(orphan);
            session.zk.getData(
                    path,
                    event -> changed(path, event),
                    (rc, asked, context, data, stat) -> read(orphan, path, rc, data, stat),
                    null);
        }
    }

    /** A deleted node is reported. A node that another client marked is watched again: a watch fires once. */
    private void changed(String path, WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted) {
            listener.changed();
        } else if (event.getType() == EventType.NodeDataChanged) {
            session.zk.getData(
                    path,
                    again -> changed(path, again),
                    (rc, asked, context, data, stat) -> {
                        if (rc == Code.NONODE.intValue()) {
                            listener.changed();
                        }
                    },
                    null);
        }
    }

    private void read(HolderId orphan, String path, int rc, byte @Nullable [] data, @Nullable Stat stat) {
        if (rc == Code.OK.intValue() && stat != null) {
            DelayData delay = DelayData.parse(data);
            Duration left = delay == null ? Duration.ZERO : starts.left(orphan, delay, stat, leaderMillis, setup.now());
            if (left.compareTo(longest) > 0) {
                longest = left;
            }
            removals.add(Op.delete(path, stat.getVersion()));
            if (delay != null && !delay.seen() && !left.isZero()) {
                byte[] marked = delay.started().bytes();
                session.zk.setData(path, marked, stat.getVersion(), (code, p, c, s) -> {}, null);
            }
        } else if (rc != Code.NONODE.intValue()) {
            lost = true;
        }
        if (--open == 0) {
            decide();
        }
    }

    private void decide() {
        if (lost) {
            listener.unanswered(); // L14: an outage is not a refusal
        } else if (!longest.isZero()) {
            listener.running(longest);
        } else if (removals.isEmpty()) {
            listener.changed();
        } else {
            session.zk.multi(
                    removals,
                    (int rc, String asked, Object context, List<OpResult> results) -> listener.changed(),
                    null);
        }
    }
}
