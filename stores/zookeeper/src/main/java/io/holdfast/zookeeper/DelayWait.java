package io.holdfast.zookeeper;

import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
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
 * What the first in line does when it finds lock-delays of holders that have disappeared (L10): it waits them out and
 * removes them, each by its version, and then looks at the line again. A late release by the lost holder's own id removes
 * the node and so ends the delay early (U17).
 *
 * <p>How long ago the holder disappeared nobody wrote down, so the delay counts from when that was first seen: by this
 * client, on its own clock, or by another, who marks the node, by the leader's clock.
 */
final class DelayWait {
    private final ZooKeeperLockStore store;
    private final Place place;
    private final String parent;
    private final List<HolderId> orphans;
    private final List<Op> removals = new ArrayList<>();
    private Duration longest = Duration.ZERO;
    private boolean lost;
    private int open;

    DelayWait(ZooKeeperLockStore store, Place place, String parent, List<HolderId> orphans) {
        this.store = store;
        this.place = place;
        this.parent = parent;
        this.orphans = orphans;
        this.open = orphans.size();
    }

    void start() {
        for (HolderId orphan : orphans) {
            String path = parent + "/" + Line.delayNode(orphan);
            place.session.zk.getData(
                    path,
                    event -> changed(path, event),
                    (rc, asked, context, data, stat) -> read(orphan, path, rc, data, stat),
                    null);
        }
    }

    /** Its end is news; that somebody has marked it is not, but a watch is good for one event only. */
    private void changed(String path, WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted) {
            place.lookAgain();
        } else if (event.getType() == EventType.NodeDataChanged) {
            place.session.zk.getData(
                    path,
                    again -> changed(path, again),
                    (rc, asked, context, data, stat) -> {
                        if (rc == Code.NONODE.intValue()) {
                            place.lookAgain();
                        }
                    },
                    null);
        }
    }

    private void read(HolderId orphan, String path, int rc, byte @Nullable [] data, @Nullable Stat stat) {
        if (rc == Code.OK.intValue() && stat != null) {
            DelayData delay = DelayData.parse(data);
            Duration left = delay == null
                    ? Duration.ZERO
                    : store.delays().left(orphan, delay, stat, place.leaderMillis(), store.now());
            if (left.compareTo(longest) > 0) {
                longest = left;
            }
            removals.add(Op.delete(path, stat.getVersion()));
            if (delay != null && !delay.seen() && !left.isZero()) {
                byte[] marked = new DelayData(delay.delay(), true).bytes();
                place.session.zk.setData(path, marked, stat.getVersion(), (code, p, c, s) -> {}, null);
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
            // L14: an outage is not a refusal.
            place.session.onceConnected(place::lookAgain);
        } else if (!longest.isZero()) {
            if (place.isTry()) {
                place.refuse(new Refused(null, longest, true, longest));
            } else {
                place.waitForDelay(longest);
            }
        } else if (removals.isEmpty()) {
            place.lookAgain();
        } else {
            place.session.zk.multi(
                    removals,
                    (int rc, String asked, Object context, List<OpResult> results) -> place.lookAgain(),
                    null);
        }
    }
}
