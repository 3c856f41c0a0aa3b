package io.holdfast.sql.postgres;

import io.holdfast.spi.Claim;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.session.CancellableWait;
import io.holdfast.sql.session.DrawnTokens;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row that an open transaction has locked ({@code SELECT … FOR UPDATE}). The token is drawn and committed on another
 * connection while the row is locked, before the grant is returned (U13).
 *
 * <p>The connection that has a row locked is found without locking the row (U31): the row's {@code xmax} is the
 * transaction that locked it last, and {@code pg_locks} has one entry for every running transaction, with its connection.
 */
final class PostgresRowLocks extends PostgresLocks {
    private static final long MISSING = 0;
    private static final long TAKEN = -1;

    private final Connections others;
    private final String rows;

    /**
     * With a table of rows to lock.
     *
     * @param others for what must be committed apart from the lock
     */
    PostgresRowLocks(TokenRows tokens, Connections others, String rows) {
        super(
                tokens,
                "SELECT set_config('idle_in_transaction_session_timeout', ?, true)",
                " FROM " + rows + " r JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted"
                        + " AND l.mode = 'ExclusiveLock' AND l.transactionid = r.xmax WHERE r.name = ?");
        this.others = others;
        this.rows = rows;
    }

    @Override
    public @Nullable DrawnTokens take(Connection connection, String name, Claim claim) throws SQLException {
        connection.setAutoCommit(false);
        long locked = lock(connection, name, claim);
        if (locked == MISSING) {
            // No row is no lock, and never a grant.
            others.call(claim.ttl().toNanos(), other -> insert(other, name));
            locked = lock(connection, name, claim);
        }
        return locked <= 0 ? null : draw(name, claim, locked);
    }

    private DrawnTokens draw(String name, Claim claim, long connectionId) {
        return others.call(claim.ttl().toNanos(), other -> tokens.drawFor(other, name, claim, connectionId));
    }

    /** The connection's id if it has the row now; else {@link #MISSING} or {@link #TAKEN}. */
    private long lock(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_backend_pid(), set_config('idle_in_transaction_session_timeout', ?, true) FROM " + rows
                        + " WHERE name = ? FOR UPDATE NOWAIT")) {
            statement.setString(1, millis(claim.ttl()));
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
    public long await(Connection connection, String name, CancellableWait wait) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true),"
                + " set_config('idle_in_transaction_session_timeout', ?, true); SELECT pg_backend_pid() FROM " + rows
                + " WHERE name = ? FOR UPDATE")) {
            statement.setString(1, millis(wait.slice()));
            statement.setString(2, millis(UNCLAIMED));
            statement.setString(3, name);
            long connectionId = second(statement, wait);
            if (connectionId == MISSING) {
                connection.rollback();
                if (!wait.isEnded()) {
                    others.call(wait.slice().toNanos(), other -> insert(other, name));
                }
            }
            return connectionId;
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return MISSING;
        }
    }

    @Override
    public DrawnTokens adopt(Connection connection, String name, long connectionId, Claim claim) throws SQLException {
        limit(connection, claim.ttl());
        return draw(name, claim, connectionId);
    }

    /** Makes the row that is locked. */
    private boolean insert(Connection connection, String name) throws SQLException {
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
}
