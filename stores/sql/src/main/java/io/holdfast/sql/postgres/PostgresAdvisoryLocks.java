package io.holdfast.sql.postgres;

import io.holdfast.spi.Claim;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.sql.session.CancellableWait;
import io.holdfast.sql.session.DrawnTokens;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's advisory locks. The statement that takes the lock also draws the token, in that order: the lock function
 * stands in the condition of the UPDATE that advances the token. So only the connection that has the lock advances the
 * row. The key is the one in the row (U30), and needs no statement of its own.
 *
 * <p>If PostgreSQL evaluates the condition twice, because the row changed meanwhile, the same connection takes the lock
 * twice; {@code pg_advisory_unlock_all} frees it however often that was. The CASE keeps the function from rows of other
 * names, whatever the plan: only its order of evaluation is promised.
 *
 * <p>The token is flushed before it is returned (U35). The crash of one backend ends all connections and is over within
 * 100 ms; by then the clock, from which a lost row would start again, need not have passed the last token.
 */
final class PostgresAdvisoryLocks extends PostgresLocks {
    private final String takeText;
    private final String awaitText;

    PostgresAdvisoryLocks(TokenRows tokens) {
        super(
                tokens,
                "SELECT set_config('idle_session_timeout', ?, false)",
                " FROM " + tokens.table() + " t JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted"
                        + " AND l.objsubid = 1"
                        + " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                        + " AND l.classid::bigint = ((t.lock_key >> 32) & 4294967295)"
                        + " AND l.objid::bigint = (t.lock_key & 4294967295) WHERE t.name = ?");
        takeText = tokens.drawText()
                + " AND CASE WHEN name = ? THEN pg_try_advisory_lock(lock_key) ELSE false END"
                + " RETURNING holder, last_token - span + 1, span, " + PostgresStatements.DURABLE
                + ", set_config('idle_session_timeout', ?, false)";
        // The first of the two statements bounds the second: one round trip, one transaction.
        awaitText = "SELECT set_config('lock_timeout', ?, true), set_config('idle_session_timeout', ?, false);"
                + " SELECT pg_backend_pid(), pg_advisory_lock(lock_key) FROM " + tokens.table() + " WHERE name = ?";
    }

    @Override
    public @Nullable DrawnTokens take(Connection connection, String name, Claim claim) throws SQLException {
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
                return new DrawnTokens(row.getLong(2), row.getInt(3));
            }
        }
    }

    @Override
    public long await(Connection connection, String name, CancellableWait wait) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(awaitText)) {
            statement.setString(1, millis(wait.slice()));
            statement.setString(2, millis(UNCLAIMED));
            statement.setString(3, name);
            long connectionId = second(statement, wait);
            if (connectionId == 0 && !wait.isEnded()) {
                throw tokens.lost(name);
            }
            return connectionId;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return 0;
            }
            throw e;
        }
    }

    /** Takes the lock once more, which its own connection always can: so the lock is that of the row as it is now. */
    @Override
    public DrawnTokens adopt(Connection connection, String name, long connectionId, Claim claim) throws SQLException {
        DrawnTokens drawn = take(connection, name, claim);
        if (drawn == null) {
            throw tokens.lost(name);
        }
        return drawn;
    }

    @Override
    public void free(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false)")) {
            statement.executeQuery().close();
        }
    }
}
