package io.holdfast.sql;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A row that an open transaction has locked ({@code SELECT … FOR UPDATE}). The token is drawn and committed on another
 * connection while the row is locked, before the grant is returned (U13).
 *
 * <p>The session that has a row locked is found without locking it (U31): the row's {@code xmax} is the transaction that
 * locked it last, and {@code pg_locks} has one entry for every transaction that runs, with its session.
 */
final class PostgresRowLock implements SessionLocks {
    private static final long MISSING = 0;
    private static final long TAKEN = -1;
    static final String LOCK_NOT_AVAILABLE = "55P03";

    private final TokenRows tokens;
    private final String rows;
    private final String holders;

    PostgresRowLock(TokenRows tokens, String rows) {
        this.tokens = tokens;
        this.rows = rows;
        this.holders = " FROM " + rows + " r JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted"
                + " AND l.mode = 'ExclusiveLock' AND l.transactionid = r.xmax WHERE r.name = ?";
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
                : others.call(claim.ttl().toNanos(), other -> tokens.draw(other, name, claim, holding, null));
    }

    /** The session's id if it has the row now; else {@link #MISSING} or {@link #TAKEN}. */
    private long lock(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_backend_pid(), set_config('idle_in_transaction_session_timeout', ?, true) FROM " + rows
                        + " WHERE name = ? FOR UPDATE NOWAIT")) {
            statement.setString(1, PostgresAdvisory.millis(claim.ttl()));
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
            statement.setString(1, PostgresAdvisory.millis(patience.slice()));
            statement.setString(2, PostgresAdvisory.millis(IN_HAND));
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
        limit(connection, claim.ttl());
        return others.call(claim.ttl().toNanos(), other -> tokens.draw(other, name, claim, session, null));
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

    @Override
    public void limit(Connection connection, Duration silence) throws SQLException {
        PostgresAdvisory.limit(
                connection, "SELECT set_config('idle_in_transaction_session_timeout', ?, true)", silence);
    }

    @Override
    public long holder(Connection connection, String name) throws SQLException {
        return PostgresAdvisory.holder(connection, "SELECT l.pid" + holders, name);
    }

    @Override
    public void end(Connection connection, String name, long session) throws SQLException {
        PostgresAdvisory.end(
                connection, "SELECT pg_terminate_backend(l.pid)" + holders + " AND l.pid = ?", name, session);
    }
}
