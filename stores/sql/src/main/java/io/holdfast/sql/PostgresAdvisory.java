package io.holdfast.sql;

import io.holdfast.spi.Claim;
import io.holdfast.spi.support.StoredLease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's advisory locks. The statement that takes the lock also draws the token, in that order: the lock function
 * stands in the condition of the UPDATE that advances the token, so the row is advanced only by the session that has the
 * lock. The key is the one in the row (U30), and needs no statement of its own.
 *
 * <p>If PostgreSQL evaluates the condition twice, because the row changed meanwhile, the lock is taken twice by the same
 * session; {@code pg_advisory_unlock_all} frees it however often that was. The CASE keeps the function from rows of other
 * names, whatever the plan: only its order of evaluation is promised.
 *
 * <p>The token is flushed before it is returned (U35): the crash of one backend ends all sessions and is over within
 * 100 ms, while the clock, from which a lost row would start again, need not have passed the last token.
 */
final class PostgresAdvisory implements SessionLocks {
    private final TokenRows tokens;
    private final String takeText;
    private final String awaitText;
    private final String pingText;
    private final String holders;

    PostgresAdvisory(TokenRows tokens) {
        this.tokens = tokens;
        takeText = tokens.drawText()
                + " AND CASE WHEN name = ? THEN pg_try_advisory_lock(lock_key) ELSE false END"
                + " RETURNING holder, last_token - span + 1, span, " + PostgresRows.DURABLE
                + ", set_config('idle_session_timeout', ?, false)";
        // The first of the two statements bounds the second: one round trip, one transaction.
        awaitText = "SELECT set_config('lock_timeout', ?, true), set_config('idle_session_timeout', ?, false);"
                + " SELECT pg_backend_pid(), pg_advisory_lock(lock_key) FROM " + tokens.table + " WHERE name = ?";
        pingText = "SELECT revoked FROM " + tokens.table + " WHERE name = ?";
        holders = " FROM " + tokens.table + " t JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted"
                + " AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                + " AND l.classid::bigint = ((t.lock_key >> 32) & 4294967295)"
                + " AND l.objid::bigint = (t.lock_key & 4294967295) WHERE t.name = ?";
    }

    @Override
    public TokenRows.@Nullable Drawn take(Connection connection, String name, Claim claim, SqlSessions others)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(takeText)) {
            int at = tokens.bindDraw(statement, name, claim, 0);
            statement.setString(at, name);
            statement.setString(at + 1, millis(claim.ttl()));
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                if (!Arrays.equals(row.getBytes(1), StoredLease.bytes(claim.holder()))) {
                    throw new SQLException("the database returned the row of another holder");
                }
                return new TokenRows.Drawn(row.getLong(2), row.getInt(3));
            }
        }
    }

    @Override
    public long await(Connection connection, String name, Patience patience, SqlSessions others) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(awaitText)) {
            statement.setString(1, millis(patience.slice()));
            statement.setString(2, millis(IN_HAND));
            statement.setString(3, name);
            long session = PostgresRowLock.second(statement, patience);
            if (session == 0 && !patience.isEnded()) {
                throw lost(name);
            }
            return session;
        } catch (SQLException e) {
            if (PostgresRowLock.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return 0;
            }
            throw e;
        }
    }

    /** Takes the lock once more, which its own session always can: so the lock is that of the row as it is now. */
    @Override
    public TokenRows.Drawn adopt(Connection connection, String name, long session, Claim claim, SqlSessions others)
            throws SQLException {
        TokenRows.Drawn drawn = take(connection, name, claim, others);
        if (drawn == null) {
            throw lost(name);
        }
        return drawn;
    }

    private SQLException lost(String name) {
        return new SQLException("the table " + tokens.table + " has lost the row of lock '" + name + "'", "02000");
    }

    @Override
    public void free(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false)")) {
            statement.executeQuery().close();
        }
    }

    @Override
    public void limit(Connection connection, Duration silence) throws SQLException {
        limit(connection, "SELECT set_config('idle_session_timeout', ?, false)", silence);
    }

    static void limit(Connection connection, String text, Duration silence) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setString(1, millis(silence));
            statement.executeQuery().close();
        }
    }

    /** At least one: zero would be no limit. */
    static String millis(Duration time) {
        return Math.max(1, time.toMillis()) + "ms";
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
    public long holder(Connection connection, String name) throws SQLException {
        return holder(connection, "SELECT l.pid" + holders, name);
    }

    static long holder(Connection connection, String text, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    @Override
    public void end(Connection connection, String name, long session) throws SQLException {
        end(connection, "SELECT pg_terminate_backend(l.pid)" + holders + " AND l.pid = ?", name, session);
    }

    static void end(Connection connection, String text, String name, long session) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setString(1, name);
            statement.setLong(2, session);
            statement.executeQuery().close();
        }
    }
}
