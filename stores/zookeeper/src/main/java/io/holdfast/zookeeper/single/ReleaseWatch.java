package io.holdfast.zookeeper.single;

import io.holdfast.spi.WatchableStore;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.Sessions;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Tells a waiting client that the node of a lock was deleted. The watch is set again after every event until it is closed. A
 * node that does not exist when the watch reaches the server was deleted on the way; no event follows, so the client is told
 * at once, unless it was told of that deletion before.
 */
final class ReleaseWatch implements WatchableStore.Watch {
    private final Sessions sessions;
    private final String node;
    private final Runnable wake;
    private volatile boolean closed;

    ReleaseWatch(Sessions sessions, String node, Runnable wake) {
        this.sessions = sessions;
        this.node = node;
        this.wake = wake;
    }

    ReleaseWatch start() {
        set(false);
        return this;
    }

    private void set(boolean told) {
        Session session = sessions.any();
        if (session == null || closed) {
            return;
        }
        session.zk.exists(
                node,
                this::changed,
                (rc, path, context, stat) -> {
                    if (rc == Code.NONODE.intValue() && !told && !closed) {
                        wake.run();
                    }
                },
                null);
    }

    private void changed(WatchedEvent event) {
        if (closed || event.getType() == EventType.None) {
            return;
        }
        boolean deleted = event.getType() == EventType.NodeDeleted;
        set(deleted);
        if (deleted) {
            wake.run();
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
