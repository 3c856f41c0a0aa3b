package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection that listens to PostgreSQL's notifications. One thread uses it at a time; any may wake that one. */
final class Ear implements AutoCloseable {
    /** Opens one. */
    @FunctionalInterface
    interface Source {
        /** Does it. */
        Ear open() throws SQLException;
    }

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int ANSWER_SECONDS = 2;

    private final Connection connection;
    private final @Nullable WakeableSocket socket;
    private final PostgresNotifications notifications;
    private volatile long heardAt = System.nanoTime();

    private Ear(Connection connection, @Nullable WakeableSocket socket, PostgresNotifications notifications) {
        this.connection = connection;
        this.socket = socket;
        this.notifications = notifications;
    }

    /**
     * Of a connection, which is closed if it cannot hear.
     *
     * @param socket beneath it, if it is known
     */
    static Ear of(Connection connection, @Nullable WakeableSocket socket) throws SQLException {
        boolean hears = false;
        try {
            Ear ear = new Ear(connection, socket, PostgresNotifications.of(connection));
            hears = true;
            return ear;
        } finally {
            if (!hears) {
                connection.close();
            }
        }
    }

    /** Begins to listen. */
    void listen(String channel) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN \"" + channel + "\"");
        }
    }

    /** Whether who hears can be woken, so that it may change. */
    boolean wakeable() {
        return socket != null && socket.isPlain();
    }

    /** Ends {@link #hear} early. */
    void wake() {
        if (socket != null) {
            socket.wake();
        }
    }

    Connection connection() {
        return connection;
    }

    /** Waits for notifications, for a few seconds at most; what they say. */
    List<String> hear(long nanos) throws SQLException {
        // At least 2 ms: a read with less is a look.
        int limit = (int) Math.max(2, TimeUnit.NANOSECONDS.toMillis(Math.min(nanos, QUIET_NANOS)));
        List<String> heard;
        if (socket == null) {
            heard = notifications.await(limit);
        } else {
            socket.listens(true);
            try {
                heard = notifications.await(limit);
            } finally {
                socket.listens(false);
            }
        }
        if (!heard.isEmpty()) {
            heardAt = System.nanoTime();
        }
        return heard;
    }

    /** Whether nothing was heard for so long that the connection should be checked. */
    boolean quiet() {
        return System.nanoTime() - heardAt >= QUIET_NANOS;
    }

    /** If it was quiet for long, finds out whether the database still answers, which may take two seconds. */
    void check() throws SQLException {
        if (quiet()) {
            if (!connection.isValid(ANSWER_SECONDS)) {
                throw new SQLException("the connection does not answer", "08006");
            }
            heardAt = System.nanoTime();
        }
    }

    /** Also while somebody hears, who then fails. */
    void abort() throws SQLException {
        connection.abort(Runnable::run);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
