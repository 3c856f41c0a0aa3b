package io.holdfast.zookeeper;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
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
 * One session with ZooKeeper: its state, its heartbeat, and what is to be tried again when its connection is back.
 *
 * <pre>
 *   CONNECTED ⇄ DISCONNECTED → OVER          what is in OVER never comes back; the store opens another session
 * </pre>
 *
 * <p>The heartbeat is a write to a node of the session's own, every quarter of the negotiated timeout; {@link Pulse}
 * says what its answers prove. A heartbeat that is not answered in time drops the connection, so that the client looks
 * for another server long before its own patience, two thirds of the timeout, has ended.
 *
 * <p>Callbacks come on ZooKeeper's event thread, and nothing of the application's runs there. ZooKeeper's client matches a
 * reply to its request by its xid and closes the connection if they differ (U29). Thread-safe; the monitor is a leaf.
 */
final class Session implements Watcher {
    /** Hears what happens to a session; quick, any thread. */
    interface Listener {
        void disconnected(Session session);

        /** The connection is back and the first heartbeat on it was answered. */
        void connected(Session session);

        void over(Session session);
    }

    enum State {
        CONNECTED,
        DISCONNECTED,
        OVER
    }

    private static final byte[] NOTHING = {};
    private static final AsyncCallback.StringCallback MADE = (rc, path, context, name) -> {};

    final ZooKeeper zk;
    final long id;
    final Familiar familiar;
    private final Paths paths;
    private final List<ACL> acl;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Listener listener;
    private final Pulse pulse;
    private final long patience;
    private final boolean own;

    private State state = State.CONNECTED;
    private boolean resuming;
    private boolean closed;
    private List<Runnable> retries = new ArrayList<>();
    private Scheduler.@Nullable Timer timer;
    private long lastSent;
    private long beats;
    private long answered;

    /**
     * Over a connected client.
     *
     * @param own whether the client is the store's own, so that its connection may be dropped
     * @param connecting when its session was asked for, at the earliest
     */
    Session(ZooKeeper zk, boolean own, Paths paths, List<ACL> acl, Timing timing, Listener listener, long connecting) {
        this.zk = zk;
        this.own = own;
        this.id = zk.getSessionId();
        this.familiar = new Familiar(zk::exists);
        this.paths = paths;
        this.acl = acl;
        this.ticker = timing.ticker();
        this.scheduler = timing.scheduler();
        this.listener = listener;
        long timeout = zk.getSessionTimeout() * 1_000_000L;
        this.pulse = new Pulse(timeout, connecting);
        this.patience = Math.min(timing.ioNanos(), timeout / 6);
        this.lastSent = connecting;
    }

    /** The clocks, and the longest that an answer may take. */
    record Timing(Ticker ticker, Scheduler scheduler, long ioNanos) {}

    /** Makes the heartbeat's node and starts the heartbeat. */
    void start() {
        makeClientNode();
        if (!own) {
            watchConnection();
        }
    }

    /** The client that was passed in has an ear of its own; ours hears of the connection through a watch that never fires. */
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

    long timeoutNanos() {
        return zk.getSessionTimeout() * 1_000_000L;
    }

    /** Until when the session certainly lives (U3). */
    long deadline() {
        return pulse.deadline();
    }

    synchronized boolean isConnected() {
        return state == State.CONNECTED;
    }

    synchronized boolean isOver() {
        return state == State.OVER;
    }

    /** The node that heartbeats are written to. */
    String clientNode() {
        return paths.client(id);
    }

    /**
     * Runs {@code task} when the connection is back, after a sync (L2); soon, if it is there already. Forgotten if the
     * session is over: its nodes are gone then.
     */
    void onceConnected(Runnable task) {
        boolean now;
        synchronized (this) {
            if (state == State.OVER || closed) {
                return;
            }
            retries.add(task);
            now = state == State.CONNECTED && !resuming;
            resuming |= now;
        }
        if (now) {
            resume();
        }
    }

    /** Writes a heartbeat; {@code answered} gets the zxid of its answer, {@code failed} runs if there is none. */
    void beat(LongConsumer answered, Runnable failed) {
        long sent = ticker.nanos();
        long number;
        synchronized (this) {
            lastSent = sent;
            number = ++beats;
        }
        scheduler.schedule(() -> missed(number), patience);
        zk.setData(
                clientNode(),
                NOTHING,
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
    void proved(long sent) {
        pulse.answered(sent);
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
        } else if (!own) {
            watchConnection();
        }
    }

    /** Stops the heartbeat and ends the session, or only leaves it. */
    void close(boolean keepGrants) {
        Scheduler.Timer running;
        synchronized (this) {
            closed = true;
            running = timer;
            retries = new ArrayList<>();
        }
        if (running != null) {
            running.cancel();
        }
        if (!own) {
            return;
        }
        if (keepGrants && zk instanceof KeptZooKeeper kept) {
            kept.leave();
            return;
        }
        try {
            zk.close((int) (patience / 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void makeClientNode() {
        long sent = ticker.nanos();
        synchronized (this) {
            lastSent = sent;
        }
        zk.create(
                clientNode(),
                NOTHING,
                acl,
                CreateMode.EPHEMERAL,
                (rc, path, context, name) -> {
                    if (rc == Code.OK.intValue()) {
                        proved(sent);
                    } else if (rc == Code.NONODE.intValue()) {
                        // Somebody deleted what was made when the store was opened; the next heartbeat tries again.
                        for (String each : Paths.withParents(paths.clients())) {
                            zk.create(each, NOTHING, acl, CreateMode.PERSISTENT, MADE, null);
                        }
                    }
                    schedule();
                },
                null);
    }

    /** A heartbeat a quarter of the timeout after the last one, whoever sent that. */
    private void schedule() {
        long delay;
        synchronized (this) {
            if (closed || state == State.OVER) {
                return;
            }
            if (timer != null) {
                timer.cancel();
            }
            delay = Math.max(0, lastSent + pulse.interval() - ticker.nanos());
            timer = scheduler.schedule(this::tick, delay);
        }
    }

    private void tick() {
        boolean due;
        synchronized (this) {
            due = state == State.CONNECTED && ticker.nanos() - lastSent >= pulse.interval();
            if (!due && state == State.DISCONNECTED) {
                lastSent = ticker.nanos();
            }
        }
        if (due) {
            beat(zxid -> {}, () -> {});
        }
        schedule();
    }

    /** A heartbeat was not answered in time: look for another server. */
    private void missed(long number) {
        synchronized (this) {
            if (closed || state != State.CONNECTED || answered >= number) {
                return;
            }
        }
        if (own) {
            try {
                zk.getTestable().closeSocket();
            } catch (IOException e) {
                // It was closed already, which is what we want.
            }
            // The next packet makes the client notice.
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
            resuming = true;
        }
        beat(zxid -> listener.connected(this), () -> {});
        resume();
    }

    /** L2: what was written before must be seen by what is read now, also on another server. */
    private void resume() {
        zk.sync(
                paths.names(),
                (rc, path, context) -> {
                    List<Runnable> due;
                    synchronized (this) {
                        resuming = false;
                        if (rc != Code.OK.intValue() && rc != Code.NONODE.intValue()) {
                            return;
                        }
                        due = retries;
                        retries = new ArrayList<>();
                    }
                    due.forEach(Outcomes::guarded);
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
