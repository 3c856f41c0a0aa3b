package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row that an open transaction has locked ({@code SELECT … FOR UPDATE}). The token is drawn and committed on another
 * connection while the row is locked, before the grant is returned (U13).
 */
final class PostgresRowLock implements SessionLocks {
    private static final long MISSING = 0;
    private static final long TAKEN = -1;
    static final String LOCK_NOT_AVAILABLE = "55P03";

    private final TokenRows tokens;
    private final String rows;

    PostgresRowLock(TokenRows tokens, String rows) {
        this.tokens = tokens;
        this.rows = rows;
    }

    @Override
    public TokenRows.@Nullable Drawn take(Connection connection, String name, Claim claim, SqlSessions others)
            throws SQLException {
        connection.setAutoCommit(false);
        long session = lock(connection, name, claim);
        if (session == MISSING) {
            // No row is no lock, and never a grant.
            others.call(claim.ttl().toNanos(), other -> insert(other, name));
            session = lock(connection, name, claim);
        }
        long holding = session;
        return holding <= 0
                ? null
                : others.call(claim.ttl().toNanos(), other -> tokens.draw(other, name, claim, holding));
    }

    /** The session's id if it has the row now; else {@link #MISSING} or {@link #TAKEN}. */
    private long lock(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_backend_pid(), set_config('idle_in_transaction_session_timeout', ?, true) FROM " + rows
                        + " WHERE name = ? FOR UPDATE NOWAIT")) {
            statement.setString(1, claim.ttl().toMillis() + "ms");
            statement.setString(2, name);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    return row.getLong(1);
                }
            }
            connection.rollback();
            return MISSING;
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return TAKEN;
        }
    }

    /** The first of the two statements bounds the second. */
    @Override
    public long await(Connection connection, String name, Patience patience, SqlSessions others) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true),"
                + " set_config('idle_in_transaction_session_timeout', ?, true); SELECT pg_backend_pid() FROM " + rows
                + " WHERE name = ? FOR UPDATE")) {
            statement.setString(1, patience.slice().toMillis() + "ms");
            statement.setString(2, IN_HAND.toMillis() + "ms");
            statement.setString(3, name);
            long session = second(statement, patience);
            if (session == MISSING) {
                connection.rollback();
                if (!patience.isEnded()) {
                    others.call(patience.slice().toNanos(), other -> insert(other, name));
                }
            }
            return session;
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return MISSING;
        }
    }

    /** The first number in the answer to the second statement; 0 if there is none. */
    static long second(PreparedStatement statement, Patience patience) throws SQLException {
        if (!patience.execute(statement) || !statement.getMoreResults()) {
            return MISSING;
        }
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? row.getLong(1) : MISSING;
        }
    }

    @Override
    public TokenRows.Drawn adopt(Connection connection, String name, long session, Claim claim, SqlSessions others)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT set_config('idle_in_transaction_session_timeout', ?, true)")) {
            statement.setString(1, claim.ttl().toMillis() + "ms");
            statement.executeQuery().close();
        }
        return others.call(claim.ttl().toNanos(), other -> tokens.draw(other, name, claim, session));
    }

    /** Makes the row that is locked. */
    boolean insert(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO " + rows + " (name) VALUES (?) ON CONFLICT DO NOTHING")) {
            statement.setString(1, name);
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public void free(Connection connection) throws SQLException {
        connection.rollback();
    }

    @Override
    public boolean ping(Connection connection, String name) throws SQLException {
        return PostgresAdvisory.revoked(connection, "SELECT revoked FROM " + tokens.table + " WHERE name = ?", name);
    }

    /** Whether a lock on the row has to be waited for; it is not waited for. */
    @Override
    public boolean held(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT (SELECT count(*) FROM " + rows
                + " WHERE name = ?) - (SELECT count(*) FROM (SELECT 1 FROM " + rows
                + " WHERE name = ? FOR UPDATE SKIP LOCKED) s)")) {
            statement.setString(1, name);
            statement.setString(2, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) > 0;
            }
        }
    }

    @Override
    public void end(Connection connection, String name) throws SQLException {
        TokenRows.TokenRow row = tokens.read(connection, name);
        if (row != null && row.session() != 0) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ? AND state LIKE 'idle in"
                            + " transaction%'")) {
                statement.setLong(1, row.session());
                statement.executeQuery().close();
            }
        }
    }
}
