package io.holdfast.zookeeper.session;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import io.holdfast.spi.StoreContext;
import io.holdfast.zookeeper.line.NodePaths;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * One session with ZooKeeper: its state, its heartbeat, and the tasks that are repeated when its connection is back.
 *
 * <pre>
 *   CONNECTED ⇄ DISCONNECTED → OVER          OVER is final; the store opens another session
 * </pre>
 *
 * <p>The heartbeat is a write to a node of the session's own, every quarter of the negotiated timeout. {@link
 * SessionValidity} says what its answers prove. A heartbeat that is not answered in time drops the connection, so that the
 * client connects to another server. ZooKeeper's client by itself would wait for two thirds of the timeout.
 *
 * <p>Callbacks run on ZooKeeper's event thread; no code of the application runs there. ZooKeeper's client matches a reply
 * to its request by its xid and closes the connection if they differ (U29). Thread-safe. No other monitor is entered while
 * this one is held.
 */
public final class Session implements Watcher {
    /** Is told what happens to a session, on any thread; must be quick. */
    public interface Listener {
        /** The connection is lost. */
        void disconnected(Session session);

        /** The connection is back and the first heartbeat on it was answered. */
        void connected(Session session);

        /** The session has ended, with all of its nodes. */
        void over(Session session);
    }

    private enum State {
        CONNECTED,
        DISCONNECTED,
        OVER
    }

    private static final byte[] EMPTY = {};
    private static final AsyncCallback.StringCallback IGNORED = (rc, path, context, name) -> {};

    /** ZooKeeper's client, for requests. */
    public final ZooKeeper zk;

    private final long id;
    private final NodePaths paths;
    private final List<ACL> acl;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Listener listener;
    private final SessionValidity validity;
    private final long patience;
    private final boolean owned;

    private State state = State.CONNECTED;
    private boolean syncing;
    private boolean closed;
    private List<Runnable> retries = new ArrayList<>();
    private Scheduler.@Nullable Timer timer;
    private long lastSent;
    private long beats;
    private long answered;

    /**
     * Over a connected client.
     *
     * @param connecting a time before the session was requested
     */
    Session(
            Connector.Connection connection,
            SessionSettings settings,
            StoreContext context,
            Listener listener,
            long connecting) {
        this.zk = connection.zk();
        this.owned = connection.owned();
        this.id = zk.getSessionId();
        this.paths = settings.paths();
        this.acl = settings.acl();
        this.ticker = context.ticker();
        this.scheduler = context.scheduler();
        this.listener = listener;
        long timeout = zk.getSessionTimeout() * 1_000_000L;
        this.validity = new SessionValidity(timeout, connecting);
        this.patience = Math.min(settings.ioTimeout().toNanos(), timeout / 6);
        this.lastSent = connecting;
    }

    /** Creates the heartbeat's node and starts the heartbeat. */
    void start() {
        makeClientNode();
        if (!owned) {
            watchConnection();
        }
    }

    /** ZooKeeper's id of the session: the owner of its ephemeral nodes. */
    public long id() {
        return id;
    }

    /** Until when the session is certainly alive (U3). */
    public long deadline() {
        return validity.deadline();
    }

    /** Whether there is a connection. */
    public synchronized boolean isConnected() {
        return state == State.CONNECTED;
    }

    /** Whether the session has ended. */
    public synchronized boolean isOver() {
        return state == State.OVER;
    }

    /** The node that heartbeats are written to. */
    public String clientNode() {
        return paths.client(id);
    }

    /**
     * Runs {@code task} when the connection is back, after a sync (L2); soon, if there is a connection. The task is dropped
     * if the session is over: its nodes are gone then.
     */
    public void onceConnected(Runnable task) {
        boolean now;
        synchronized (this) {
            if (state == State.OVER || closed) {
                return;
            }
            retries.add(task);
            now = state == State.CONNECTED && !syncing;
            syncing |= now;
        }
        if (now) {
            sync();
        }
    }

    /** Writes a heartbeat; {@code answered} gets the zxid of its answer, {@code failed} runs if there is none. */
    public void beat(LongConsumer answered, Runnable failed) {
        long sent = ticker.nanos();
        long number;
        synchronized (this) {
            lastSent = sent;
            number = ++beats;
        }
        scheduler.schedule(() -> missed(number), patience);
        zk.setData(
                clientNode(),
                EMPTY,
                -1,
                (rc, path, context, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        proved(sent);
                        answered.accept(stat.getMzxid());
                    } else {
                        if (rc == Code.NONODE.intValue()) {
                            makeClientNode();
                        }
                        failed.run();
                    }
                },
                null);
    }

    /** A write that was sent at {@code sent} was answered. */
    public void proved(long sent) {
        validity.answered(sent);
        synchronized (this) {
            answered = Math.max(answered, beats);
        }
    }

    @Override
    public void process(WatchedEvent event) {
        if (event.getType() == Event.EventType.None) {
            switch (event.getState()) {
                case SyncConnected -> reconnected();
                case Disconnected -> lostConnection();
                case Expired, AuthFailed, Closed -> end();
                default -> {}
            }
        } else if (!owned) {
            watchConnection();
        }
    }

    /**
     * Stops the heartbeat. Of the store's own client, ends the session too, or, with {@code keepNodes}, only the client: the
     * session's nodes then stay until its timeout.
     */
    public void close(boolean keepNodes) {
        Scheduler.Timer running;
        synchronized (this) {
            closed = true;
            running = timer;
            retries = new ArrayList<>();
        }
        if (running != null) {
            running.cancel();
        }
        if (!owned) {
            return;
        }
        if (keepNodes && zk instanceof DetachableZooKeeper detachable) {
            detachable.detach();
            return;
        }
        try {
            zk.close((int) (patience / 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A client that was passed in has a watcher of the application for its connection. This session hears of the connection
     * through a watch of a node that hardly ever changes, and sets the watch again when it fires.
     */
    private void watchConnection() {
        zk.exists(
                paths.names(),
                this,
                (rc, path, context, stat) -> {
                    if (rc == Code.CONNECTIONLOSS.intValue()) {
                        lostConnection();
                        scheduler.schedule(this::watchConnection, patience);
                    } else if (rc == Code.OK.intValue()) {
                        reconnected();
                    }
                },
                null);
    }

    private void makeClientNode() {
        long sent = ticker.nanos();
        synchronized (this) {
            lastSent = sent;
        }
        zk.create(
                clientNode(),
                EMPTY,
                acl,
                CreateMode.EPHEMERAL,
                (rc, path, context, name) -> {
                    if (rc == Code.OK.intValue()) {
                        proved(sent);
                    } else if (rc == Code.NONODE.intValue()) {
                        // An operator deleted the parent; the next heartbeat tries again.
                        for (String each : NodePaths.withParents(paths.clients())) {
                            zk.create(each, EMPTY, acl, CreateMode.PERSISTENT, IGNORED, null);
                        }
                    }
                    schedule();
                },
                null);
    }

    /** Schedules a heartbeat a quarter of the timeout after the last one, which may have been a renewal. */
    private void schedule() {
        synchronized (this) {
            if (closed || state == State.OVER) {
                return;
            }
            if (timer != null) {
                timer.cancel();
            }
            long delay = Math.max(0, lastSent + validity.interval() - ticker.nanos());
            timer = scheduler.schedule(this::tick, delay);
        }
    }

    private void tick() {
        boolean due;
        synchronized (this) {
            due = state == State.CONNECTED && ticker.nanos() - lastSent >= validity.interval();
            if (!due && state == State.DISCONNECTED) {
                lastSent = ticker.nanos();
            }
        }
        if (due) {
            beat(zxid -> {}, () -> {});
        }
        schedule();
    }

    /** A heartbeat was not answered in time: drops the connection, so that the client connects to another server. */
    private void missed(long number) {
        synchronized (this) {
            if (closed || state != State.CONNECTED || answered >= number) {
                return;
            }
        }
        if (owned) {
            try {
                zk.getTestable().closeSocket();
            } catch (IOException e) {
                // It was closed already.
            }
            // The client notices the closed socket when it sends the next packet.
            zk.exists(paths.clients(), false, (rc, path, context, stat) -> {}, null);
        }
    }

    private void lostConnection() {
        synchronized (this) {
            if (state != State.CONNECTED) {
                return;
            }
            state = State.DISCONNECTED;
        }
        listener.disconnected(this);
    }

    private void reconnected() {
        synchronized (this) {
            if (state != State.DISCONNECTED) {
                return;
            }
            state = State.CONNECTED;
            syncing = true;
        }
        beat(zxid -> listener.connected(this), () -> {});
        sync();
    }

    /** L2: after the sync, what is read includes everything that was written before, also on another server. */
    private void sync() {
        zk.sync(
                paths.names(),
                (rc, path, context) -> {
                    List<Runnable> due;
                    synchronized (this) {
                        syncing = false;
                        if (rc != Code.OK.intValue() && rc != Code.NONODE.intValue()) {
                            return;
                        }
                        due = retries;
                        retries = new ArrayList<>();
                    }
                    due.forEach(TaskFailures::logged);
                },
                null);
    }

    private void end() {
        synchronized (this) {
            if (state == State.OVER) {
                return;
            }
            state = State.OVER;
            retries = new ArrayList<>();
            if (timer != null) {
                timer.cancel();
            }
        }
        listener.over(this);
    }
}
