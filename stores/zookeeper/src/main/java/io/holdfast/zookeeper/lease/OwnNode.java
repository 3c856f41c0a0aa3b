package io.holdfast.zookeeper.lease;

import io.holdfast.zookeeper.session.Session;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The node of one claim, once it is known, and the watch of it (U4).
 *
 * <p>The node is watched with one request, whose answer says what the node is now; later changes come as events. Its
 * deletion is reported. A write to it is a revocation: only a client that revokes writes to the node of a claim. ZooKeeper
 * delivers the events and answers of a session in the order of its log. So if this node is watched and no event has come,
 * it existed at the time of every event and answer that has come. Thread-safe.
 */
public final class OwnNode {
    /** Is told about the node, on ZooKeeper's event thread. */
    public interface Listener {
        /** The node was deleted. */
        void deleted();

        /** The node was revoked; called once. */
        void revoked();
    }

    private enum Watch {
        NONE,
        SET,
        /** Set, and a revocation was seen. */
        REVOKED
    }

    private final Session session;
    private final String path;
    private final long czxid;
    private final Listener listener;
    private Watch watch = Watch.NONE;

    /** A node that exists, or existed when the server answered. */
    public OwnNode(Session session, String path, long czxid, Listener listener) {
        this.session = session;
        this.path = path;
        this.czxid = czxid;
        this.listener = listener;
    }

    /** The path of the node. */
    public String path() {
        return path;
    }

    /** The last part of the path. */
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The position in ZooKeeper's log at which the node was created. */
    public long czxid() {
        return czxid;
    }

    /** Whether the watch is set. */
    public synchronized boolean isWatched() {
        return watch != Watch.NONE;
    }

    /** Whether a revocation was seen. */
    public synchronized boolean isRevoked() {
        return watch == Watch.REVOKED;
    }

    /** Sets the watch, if it is not set. A lost connection leaves it unset. */
    public void watch() {
        if (!isWatched()) {
            look();
        }
    }

    private void look() {
        session.zk.exists(
                path,
                this::changed,
                (rc, asked, context, stat) -> {
                    // Another claim may have a node with the same path: the czxid differs then.
                    if (rc == Code.OK.intValue() && stat.getCzxid() == czxid) {
                        watched(stat.getVersion() > 0);
                    } else if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                        listener.deleted();
                    }
                },
                null);
    }

    private void changed(WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted) {
            listener.deleted();
        } else if (event.getType() == EventType.NodeDataChanged) {
            watched(true);
            look(); // a watch fires once
        }
    }

    private void watched(boolean written) {
        boolean tell;
        synchronized (this) {
            tell = written && watch != Watch.REVOKED;
            if (tell) {
                watch = Watch.REVOKED;
            } else if (watch == Watch.NONE) {
                watch = Watch.SET;
            }
        }
        if (tell) {
            listener.revoked();
        }
    }
}
