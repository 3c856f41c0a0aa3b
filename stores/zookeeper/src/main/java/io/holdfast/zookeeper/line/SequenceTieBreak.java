package io.holdfast.zookeeper.line;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Orders claims that have the same sequence number (U20, {@code docs/protocol.md}).
 *
 * <p>ZooKeeper's sequence of a parent is an int. At its highest value it stands still, and every later node gets that
 * same number. The czxid of a node, its position in ZooKeeper's log, still tells which node is older. The caller reads the
 * czxids of the {@link #tied} nodes and adds each of them. Not thread-safe.
 */
public final class SequenceTieBreak {
    private final Line line;
    private final NodeName own;
    private final long ownCzxid;
    private final List<NodeName> tied;
    private final Set<NodeName> older = new HashSet<>();

    /** Orders the nodes of {@code line} that have the sequence number of {@code own}. */
    public SequenceTieBreak(Line line, NodeName own, long ownCzxid) {
        this.line = line;
        this.own = own;
        this.ownCzxid = ownCzxid;
        this.tied = line.tiedWith(own);
    }

    /** The other nodes with the same sequence number; usually none. */
    public List<NodeName> tied() {
        return tied;
    }

    /** The czxid of a tied node is known. A node that no longer exists is not added. */
    public void add(NodeName node, long czxid) {
        if (czxid < ownCzxid) {
            older.add(node);
        }
    }

    /** The line with older tied nodes before the own node, and all other tied nodes behind it. */
    public Line resolved() {
        return tied.isEmpty() ? line : line.resolved(own, older);
    }
}
