package io.holdfast.zookeeper.session;

import io.holdfast.Ticker;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The current session of one timeout. When it has ended, another one is opened in the background. Until that is open there
 * is none, and requests that need it fail. Thread-safe.
 */
final class SessionSlot {
    private static final long SHORTEST_PAUSE = 50_000_000;
    private static final long LONGEST_PAUSE = 2_000_000_000;

    private final Connector connector;
    private final SessionSettings settings;
    private final Duration asked;
    private final Duration timeout;
    private final long opening;
    private Connector.@Nullable Connection first;
    private volatile @Nullable Session current;
    private boolean closed;

    private SessionSlot(
            Connector connector, SessionSettings settings, Duration asked, Connector.Connection first, long opening) {
        this.connector = connector;
        this.settings = settings;
        this.asked = asked;
        this.first = first;
        this.opening = opening;
        this.timeout = Duration.ofMillis(first.zk().getSessionTimeout());
    }

    /** Opens a session that should last for {@code asked}, and creates the nodes above all names. Blocks. */
    static SessionSlot open(Connector connector, SessionSettings settings, Duration asked, Duration patience) {
        long opening = Ticker.system().nanos();
        Connector.Connection connection = connector.open(asked, patience);
        try {
            new ParentNodes(settings.paths(), settings.acl(), settings.errors()).prepare(connection.zk());
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
        return new SessionSlot(connector, settings, asked, connection, opening);
    }

    /** The negotiated timeout: what the server allows of what was asked for. */
    Duration timeout() {
        return timeout;
    }

    /** Starts the session that was opened with the slot. */
    void attach(StoreContext context, Session.Listener listener) {
        Connector.Connection connection;
        synchronized (this) {
            connection = first;
            first = null;
        }
        if (connection != null) {
            // The age of the session, transferred to the clock of the client.
            long age = Ticker.system().nanos() - opening;
            install(connection, context, listener, context.ticker().nanos() - age);
        }
    }

    @Nullable
    Session current() {
        return current;
    }

    /** No session is opened any more. Returns the last one; null if there is none or it was closed before. */
    @Nullable
    Session close() {
        Connector.Connection unused;
        Session last;
        synchronized (this) {
            closed = true;
            unused = first;
            first = null;
            last = current;
            current = null;
        }
        if (unused != null) {
            unused.close();
        }
        return last;
    }

    private void install(
            Connector.Connection connection, StoreContext context, Session.Listener listener, long connecting) {
        Session session = new Session(connection, settings, context, replacing(context, listener), connecting);
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
        connection.events().attach(session);
    }

    /** Passes everything on, and opens another session when one has ended. */
    private Session.Listener replacing(StoreContext context, Session.Listener listener) {
        return new Session.Listener() {
            @Override
            public void disconnected(Session session) {
                listener.disconnected(session);
            }

            @Override
            public void connected(Session session) {
                listener.connected(session);
            }

            @Override
            public void over(Session session) {
                listener.over(session);
                replace(session, context, listener);
            }
        };
    }

    private void replace(Session old, StoreContext context, Session.Listener listener) {
        synchronized (this) {
            if (current == old) {
                current = null;
            }
        }
        if (connector.owns()) {
            Runnable task = () -> {
                old.close(true);
                reopen(context, listener, SHORTEST_PAUSE);
            };
            executeBlocking(context, task, SHORTEST_PAUSE);
        }
    }

    /** Runs a task that may block; if the executor rejects it, tries again after a pause (L13). */
    private static void executeBlocking(StoreContext context, Runnable task, long pause) {
        try {
            context.executor().execute(task);
        } catch (Throwable rejected) {
            context.scheduler()
                    .schedule(() -> executeBlocking(context, task, Math.min(pause * 2, LONGEST_PAUSE)), pause);
        }
    }

    private void reopen(StoreContext context, Session.Listener listener, long pause) {
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        long connecting = context.ticker().nanos();
        try {
            Connector.Connection connection =
                    connector.open(asked, settings.ioTimeout().multipliedBy(5));
            install(connection, context, listener, connecting);
            Session session = current;
            if (session != null) {
                listener.connected(session);
            }
        } catch (Throwable e) { // L13: any failure is followed by another try
            long longer = Math.min(pause * 2, LONGEST_PAUSE);
            context.scheduler()
                    .schedule(() -> executeBlocking(context, () -> reopen(context, listener, longer), longer), pause);
        }
    }
}
