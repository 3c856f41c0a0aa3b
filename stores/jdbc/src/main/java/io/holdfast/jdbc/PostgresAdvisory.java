package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's advisory locks. The statement that takes the lock also draws the token, in that order: the lock function
 * stands in the condition of the UPDATE that advances the token, so the row is advanced only by who has the lock.
 *
 * <p>If PostgreSQL evaluates the condition twice, because the row changed meanwhile, the lock is taken twice by the same
 * session; {@code pg_advisory_unlock_all} frees it however often that was.
 *
 * <p>The token is committed without waiting for the flush. The lock is no more durable than that: a crash of the server
 * ends every session. What a crash can take back are the tokens of the last moments, and the next ones start from the
 * clock, which has moved on by then (DESIGN 6, U6).
 */
final class PostgresAdvisory implements SessionLocks {
    private final TokenRows tokens;
    private final String takeText;
    private final String adoptText;
    private final String pingText;

    PostgresAdvisory(TokenRows tokens) {
        this.tokens = tokens;
        String drawn = " RETURNING holder, last_token - span + 1, span,"
                + " set_config('synchronous_commit', 'off', true), set_config('idle_session_timeout', ?, false)";
        takeText = tokens.drawText() + " AND pg_try_advisory_lock(?)" + drawn;
        adoptText = tokens.drawText() + drawn;
        pingText = "SELECT revoked FROM " + tokens.table + " WHERE name = ?";
    }

    @Override
    public TokenRows.@Nullable Drawn take(Connection connection, String name, Claim claim, SqlSessions others)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(takeText)) {
            int at = tokens.bindDraw(statement, name, claim, 0);
            statement.setLong(at, tokens.key(name));
            statement.setString(at + 1, claim.ttl().toMillis() + "ms");
            return drawn(statement, claim);
        }
    }

    private static TokenRows.@Nullable Drawn drawn(PreparedStatement statement, Claim claim) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            if (!Arrays.equals(row.getBytes(1), LeaseRow.bytes(claim.holder()))) {
                throw new SQLException("the database returned the row of another holder");
            }
            return new TokenRows.Drawn(row.getLong(2), row.getInt(3));
        }
    }

    /** The first of the two statements bounds the second: one round trip, one transaction. */
    @Override
    public long await(Connection connection, String name, Patience patience, SqlSessions others) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true),"
                + " set_config('idle_session_timeout', ?, false); SELECT pg_backend_pid(), pg_advisory_lock(?)")) {
            statement.setString(1, patience.slice().toMillis() + "ms");
            statement.setString(2, IN_HAND.toMillis() + "ms");
            statement.setLong(3, tokens.key(name));
            return PostgresRowLock.second(statement, patience);
        } catch (SQLException e) {
            if (PostgresRowLock.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return 0;
            }
            throw e;
        }
    }

    @Override
    public TokenRows.Drawn adopt(Connection connection, String name, long session, Claim claim, SqlSessions others)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(adoptText)) {
            int at = tokens.bindDraw(statement, name, claim, 0);
            statement.setString(at, claim.ttl().toMillis() + "ms");
            TokenRows.Drawn drawn = drawn(statement, claim);
            if (drawn == null) {
                throw new SQLException("the table of tokens has lost lock '" + name + "'", "40001");
            }
            return drawn;
        }
    }

    @Override
    public void free(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false)")) {
            statement.executeQuery().close();
        }
    }

    @Override
    public boolean ping(Connection connection, String name) throws SQLException {
        return revoked(connection, pingText, name);
    }

    static boolean revoked(Connection connection, String text, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) != 0;
            }
        }
    }

    @Override
    public boolean held(Connection connection, String name) throws SQLException {
        return ofHolders(connection, "SELECT 1", name);
    }

    @Override
    public void end(Connection connection, String name) throws SQLException {
        ofHolders(connection, "SELECT pg_terminate_backend(pid)", name);
    }

    private boolean ofHolders(Connection connection, String what, String name) throws SQLException {
        long key = tokens.key(name);
        try (PreparedStatement statement = connection.prepareStatement(what
                + " FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                + " AND classid::bigint = ? AND objid::bigint = ?")) {
            statement.setLong(1, key >>> 32);
            statement.setLong(2, key & 0xffffffffL);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }
}
