package io.holdfast.zookeeper;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Finds out who of several claims with the same sequence was first. ZooKeeper's counter of a parent is an int; at its
 * highest value it stands still, and every later node gets that same number. The czxid, the position in the log, does not.
 */
final class Tie {
    private final Place place;
    private final String parent;
    private final Line line;
    private final NodeName own;
    private final List<NodeName> tied;
    private final Set<NodeName> older = new HashSet<>();
    private boolean failed;
    private int open;

    Tie(Place place, String parent, Line line, NodeName own, List<NodeName> tied) {
        this.place = place;
        this.parent = parent;
        this.line = line;
        this.own = own;
        this.tied = tied;
        this.open = tied.size();
    }

    /** Answers come on one thread, ZooKeeper's. */
    void resolve() {
        for (NodeName each : tied) {
            place.session.zk.exists(
                    parent + "/" + each.text(),
                    false,
                    (rc, path, context, stat) -> {
                        if (rc == Code.OK.intValue() && stat.getCzxid() < place.czxid()) {
                            older.add(each);
                        }
                        failed |= rc == Code.CONNECTIONLOSS.intValue();
                        if (--open == 0) {
                            finish();
                        }
                    },
                    null);
        }
    }

    private void finish() {
        if (failed) {
            place.session.onceConnected(place::lookAgain);
        } else {
            place.decide(line.resolved(own, older), own);
        }
    }
}
