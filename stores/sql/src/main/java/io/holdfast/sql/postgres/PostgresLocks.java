package io.holdfast.sql.postgres;

import io.holdfast.sql.session.CancellableWait;
import io.holdfast.sql.session.SessionLocks;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** What PostgreSQL's advisory locks and row locks have in common. */
abstract class PostgresLocks implements SessionLocks {
    static final String LOCK_NOT_AVAILABLE = "55P03";

    final TokenRows tokens;
    private final String limitText;
    private final String holders;

    /**
     * With their rows of tokens.
     *
     * @param limitText sets how long the connection may be silent: 1 the time
     * @param holders the part of a query, from its FROM on, that finds the connection that has a lock, as {@code l.pid}:
     *     1 name
     */
    PostgresLocks(TokenRows tokens, String limitText, String holders) {
        this.tokens = tokens;
        this.limitText = limitText;
        this.holders = holders;
    }

    @Override
    public final TokenRows tokens() {
        return tokens;
    }

    @Override
    public final boolean ping(Connection connection, String name) throws SQLException {
        return tokens.isRevoked(connection, name);
    }

    @Override
    public final void limit(Connection connection, Duration silence) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(limitText)) {
            statement.setString(1, millis(silence));
            statement.executeQuery().close();
        }
    }

    @Override
    public final long holder(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT l.pid" + holders)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    @Override
    public final void end(Connection connection, String name, long connectionId) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT pg_terminate_backend(l.pid)" + holders + " AND l.pid = ?")) {
            statement.setString(1, name);
            statement.setLong(2, connectionId);
            statement.executeQuery().close();
        }
    }

    /** At least one millisecond: zero would be no limit. */
    static String millis(Duration time) {
        return Math.max(1, time.toMillis()) + "ms";
    }

    /** The first number in the answer to the second of two statements; 0 if there is none. */
    static long second(PreparedStatement statement, CancellableWait wait) throws SQLException {
        if (!wait.execute(statement) || !statement.getMoreResults()) {
            return 0;
        }
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
