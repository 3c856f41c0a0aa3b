package io.holdfast.sql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A connection that may be the application's, in autocommit mode while the store has it. {@link #close} restores the
 * autocommit mode and the network timeout, also after an error: many pools do not restore them, and most errors of a
 * database leave a connection that the pool keeps. Nothing else of a connection is changed. Not thread-safe.
 */
public final class LentConnection implements AutoCloseable {
    /** How long the server may take to answer when autocommit is restored. */
    private static final Duration RESTORING = Duration.ofSeconds(1);

    private final Connection connection;
    private final boolean autoCommit;
    private final int networkTimeout;

    /** Takes a fresh connection over; closes it if that fails. */
    public LentConnection(Connection connection) throws SQLException {
        this.connection = connection;
        boolean ready = false;
        try {
            networkTimeout = connection.getNetworkTimeout();
            autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            ready = true;
        } finally {
            if (!ready) {
                connection.close();
            }
        }
    }

    public Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (connection.isClosed()) {
                return;
            }
            if (connection.getAutoCommit() != autoCommit) {
                ConnectionRuns.bound(connection, RESTORING.toNanos());
                connection.setAutoCommit(autoCommit);
            }
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        }
    }

    /** As {@link #close}; what fails is logged. */
    void closeQuietly(String location) {
        try {
            close();
        } catch (SQLException e) {
            System.getLogger(LentConnection.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a connection to {0}: {1}", location, e.getMessage());
        }
    }
}
