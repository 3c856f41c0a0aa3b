package io.holdfast.zookeeper;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The names that this session has used several times in a row without anybody else. A new node there need not be
 * accompanied by a list of its siblings: its number tells that it has none.
 *
 * <p>A parent counts the creations of its children, and a sequential node gets that count. So if our node <em>n</em>
 * stood first, is deleted, and the next one we create has the number <em>n + 1</em>, then
 *
 * <ul>
 *   <li>whatever was created before <em>n</em> was gone when <em>n</em> stood first, lock-delays included;
 *   <li>nothing was created between <em>n</em> and <em>n + 1</em>, be it a claim, a lock-delay or anybody's node;
 *   <li>so <em>n + 1</em> is the only child.
 * </ul>
 *
 * <p>This holds as long as both are below the same parent: one that was deleted and made again counts from 0. Therefore
 * the parent is watched before its first <em>n</em> is remembered. ZooKeeper tells a session of an event before it
 * answers anything that happened after it, so the answer to a creation below another parent finds nothing remembered.
 * Nor does any answer after a lost connection.
 *
 * <p>The counter stands still at its highest value (U20), which is never trusted. Thread-safe; the monitor is a leaf.
 */
final class Familiar implements Watcher {
    /** Names that are remembered; the one that was not used for longest is forgotten first. */
    private static final int MOST = 1024;

    /** So many turns in a row without a stranger are worth a watch, which is a request of its own. */
    private static final int TURNS = 2;

    /** A name below one and the same parent. Guarded by the monitor of its {@link Familiar}. */
    static final class Name {
        private int last;
        private int turns;
        private boolean asked;
        private boolean watched;
        private boolean free;
    }

    /** Asks whether a node exists, and watches it: ZooKeeper's {@code exists}. */
    interface Watching {
        void exists(String path, Watcher watcher, AsyncCallback.StatCallback told, @Nullable Object context);
    }

    private final Watching watching;
    private final Map<String, Name> names = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Name> eldest) {
            return size() > MOST;
        }
    };

    Familiar(Watching watching) {
        this.watching = watching;
    }

    /** Whether the answer to a creation that is sent now will probably do without a list. */
    synchronized boolean expects(String parent) {
        Name name = names.get(parent);
        return name != null && name.free;
    }

    /** A node was created below this parent just now; the name, if its parent is watched. */
    synchronized @Nullable Name of(String parent) {
        Name name = names.get(parent);
        return name != null && name.watched ? name : null;
    }

    /** Whether the node {@code sequence}, which was created without a list, has no siblings. */
    synchronized boolean isAlone(String parent, int sequence) {
        Name name = names.get(parent);
        if (name == null) {
            return false;
        }
        boolean alone = name.free && sequence - 1 == name.last && sequence < Integer.MAX_VALUE;
        name.free = false;
        if (!alone) {
            // Others use it too. Until they leave it alone again, a list that comes too late costs more than it saves.
            names.remove(parent);
        }
        return alone;
    }

    /** Whether {@code name} is what this parent still stands for. */
    synchronized boolean knows(String parent, @Nullable Name name) {
        return name != null && names.get(parent) == name;
    }

    /** The node {@code sequence} of this session, which stood first and without lock-delays, was deleted. */
    void left(String parent, int sequence, @Nullable Name atCreation) {
        Name name;
        synchronized (this) {
            name = names.computeIfAbsent(parent, fresh -> new Name());
            if (name.watched) {
                if (name == atCreation) {
                    name.last = sequence;
                    name.free = true;
                }
                return;
            }
            name.turns = sequence - 1 == name.last ? name.turns + 1 : 1;
            name.last = sequence;
            if (name.asked || name.turns < TURNS) {
                return;
            }
            name.asked = true;
        }
        watching.exists(parent, this, (rc, path, context, stat) -> watched(parent, name, rc), null);
    }

    private synchronized void watched(String parent, Name name, int rc) {
        if (rc == Code.OK.intValue()) {
            name.watched = true;
        } else {
            names.remove(parent, name);
        }
    }

    @Override
    public synchronized void process(WatchedEvent event) {
        if (event.getType() != Event.EventType.None) {
            names.remove(event.getPath());
        } else if (event.getState() != Event.KeeperState.SyncConnected) {
            names.clear();
        }
    }
}
