package io.holdfast.zookeeper;

import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The current session of one timeout. When it is over, another is opened in the background; until then there is none, and
 * requests that need it fail.
 */
final class SessionHolder {
    private static final long SHORTEST_PAUSE = 50_000_000;
    private static final long LONGEST_PAUSE = 2_000_000_000;

    private final Connector connector;
    private final ZooKeeperConfig config;
    private final Duration asked;
    private final Duration timeout;
    private Connector.@Nullable Opened first;
    private final long opening;
    private volatile @Nullable Session current;
    private boolean closed;

    private SessionHolder(
            Connector connector, ZooKeeperConfig config, Duration asked, Connector.Opened first, long opening) {
        this.connector = connector;
        this.config = config;
        this.asked = asked;
        this.first = first;
        this.opening = opening;
        this.timeout = Duration.ofMillis(first.zk().getSessionTimeout());
    }

    /** Opens a session that should last for {@code asked}, and sees that the nodes above all names are there. */
    static SessionHolder open(
            Connector connector, ZooKeeperConfig config, String location, Duration asked, Duration patience) {
        long opening = Ticker.system().nanos();
        Connector.Opened opened = connector.open(asked, patience);
        try {
            prepare(opened.zk(), config, location);
        } catch (RuntimeException e) {
            if (connector.owns()) {
                leave(opened.zk());
            }
            throw e;
        }
        return new SessionHolder(connector, config, asked, opened, opening);
    }

    /** The negotiated timeout: what the server allows of what was asked for. */
    Duration timeout() {
        return timeout;
    }

    boolean owns() {
        return connector.owns();
    }

    void attach(StoreContext value, Session.Listener heard) {
        Connector.Opened opened;
        synchronized (this) {
            opened = first;
            first = null;
        }
        if (opened != null) {
            // However long ago the session was asked for, on the client's own clock.
            long age = Ticker.system().nanos() - opening;
            install(opened, value, heard, value.ticker().nanos() - age);
        }
    }

    @Nullable
    Session current() {
        return current;
    }

    /** No session is opened any more. Returns the last one, or null if there is none or it was closed before. */
    @Nullable
    Session close() {
        Connector.Opened unused;
        Session last;
        synchronized (this) {
            closed = true;
            unused = first;
            first = null;
            last = current;
            current = null;
        }
        if (unused != null && connector.owns()) {
            leave(unused.zk());
        }
        return last;
    }

    private void install(Connector.Opened opened, StoreContext with, Session.Listener heard, long connecting) {
        Session session = new Session(
                opened.zk(),
                connector.owns(),
                config.paths(),
                config.acl(),
                new Session.Timing(
                        with.ticker(), with.scheduler(), config.ioTimeout().toNanos()),
                new Session.Listener() {
                    @Override
                    public void disconnected(Session one) {
                        heard.disconnected(one);
                    }

                    @Override
                    public void connected(Session one) {
                        heard.connected(one);
                    }

                    @Override
                    public void over(Session one) {
                        heard.over(one);
                        replace(one, with, heard);
                    }
                },
                connecting);
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                current = session;
            }
        }
        if (late) {
            session.close(false);
            return;
        }
        session.start();
        opened.ear().attach(session);
    }

    private void replace(Session old, StoreContext with, Session.Listener heard) {
        synchronized (this) {
            if (current == old) {
                current = null;
            }
        }
        if (connector.owns()) {
            elsewhere(
                    with,
                    () -> {
                        old.close(true);
                        reopen(with, heard, SHORTEST_PAUSE);
                    },
                    SHORTEST_PAUSE);
        }
    }

    /** Runs a task that may block; a full executor is asked again after a pause (L13). */
    private static void elsewhere(StoreContext with, Runnable task, long pause) {
        try {
            with.executor().execute(task);
        } catch (Throwable rejected) {
            with.scheduler().schedule(() -> elsewhere(with, task, Math.min(pause * 2, LONGEST_PAUSE)), pause);
        }
    }

    private void reopen(StoreContext with, Session.Listener heard, long pause) {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        long connecting = with.ticker().nanos();
        try {
            Connector.Opened opened = connector.open(asked, config.ioTimeout().multipliedBy(5));
            install(opened, with, heard, connecting);
            Session session = current;
            if (session != null) {
                heard.connected(session);
            }
        } catch (Throwable e) { // L13: whatever it was, this TTL is not left without a session for ever
            long longer = Math.min(pause * 2, LONGEST_PAUSE);
            with.scheduler().schedule(() -> elsewhere(with, () -> reopen(with, heard, longer), longer), pause);
        }
    }

    private static void prepare(ZooKeeper zk, ZooKeeperConfig config, String location) {
        try {
            for (String wanted :
                    new String[] {config.paths().names(), config.paths().clients()}) {
                if (zk.exists(wanted, false) == null) {
                    for (String path : Paths.withParents(wanted)) {
                        make(zk, path, config);
                    }
                }
            }
        } catch (KeeperException e) {
            throw new StoreUnavailableException(
                    "store " + location + ": the nodes below " + config.root() + " cannot be made: " + e.code()
                            + (e.code() == KeeperException.Code.NOAUTH
                                    ? "; give user:password@ of somebody who may"
                                    : ""),
                    false,
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("store " + location + ": interrupted while opening it", false, e);
        }
    }

    private static void make(ZooKeeper zk, String path, ZooKeeperConfig config)
            throws KeeperException, InterruptedException {
        try {
            if (zk.exists(path, false) == null) {
                zk.create(path, new byte[0], config.acl(), CreateMode.PERSISTENT);
            }
        } catch (KeeperException.NodeExistsException raced) {
            // Another client was faster.
        }
    }

    private static void leave(ZooKeeper zk) {
        try {
            zk.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
