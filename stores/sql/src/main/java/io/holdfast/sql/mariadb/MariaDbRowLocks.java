package io.holdfast.sql.mariadb;

import io.holdfast.spi.Claim;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.session.CancellableWait;
import io.holdfast.sql.session.DrawnTokens;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Row locks in MariaDB and MySQL: a row that an open transaction has locked.
 *
 * <p>A connection that locks a row takes the named lock of {@link MariaDbNamedLocks} too, in the same statement, and frees
 * it before the row. The named lock excludes no connection: it shows which connection has the row, to a statement that
 * locks nothing (U31). The tables in which these servers list row locks differ, need rights, and in MariaDB leave out
 * locks for which no other connection waits.
 */
final class MariaDbRowLocks extends MariaDbNamedLocks {
    private static final long MISSING = 0;
    private static final long TAKEN = -1;
    private static final int MARIADB_NOT_NOW = 1205;
    private static final int MYSQL_NOT_NOW = 3572;

    private final Connections others;
    private final String rows;

    /**
     * With a table of rows to lock.
     *
     * @param others for what must be committed apart from the lock
     */
    MariaDbRowLocks(TokenRows tokens, Connections others, String rows) {
        super(tokens);
        this.others = others;
        this.rows = rows;
    }

    @Override
    public @Nullable DrawnTokens take(Connection connection, String name, Claim claim) throws SQLException {
        long locked = lockRow(connection, name);
        if (locked == MISSING) {
            // No row is no lock, and never a grant.
            others.call(claim.ttl().toNanos(), other -> insert(other, name));
            locked = lockRow(connection, name);
        }
        return locked <= 0 ? null : adopt(connection, name, locked, claim);
    }

    @Override
    public DrawnTokens adopt(Connection connection, String name, long connectionId, Claim claim) throws SQLException {
        limit(connection, claim.ttl());
        return others.call(claim.ttl().toNanos(), other -> tokens().drawFor(other, name, claim, connectionId));
    }

    /** How long a statement waits for a row is a setting of the connection, see {@link MariaDb#properties}. */
    @Override
    public long await(Connection connection, String name, CancellableWait wait) throws SQLException {
        limit(connection, UNCLAIMED);
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(lockRowText())) {
            tokens().setName(statement, 1, name);
            tokens().setName(statement, 2, name);
            long locked = wait.execute(statement) ? number(statement) : MISSING;
            if (locked <= 0) {
                connection.rollback();
                if (locked == MISSING && !wait.isEnded()) {
                    others.call(wait.slice().toNanos(), other -> insert(other, name));
                }
            }
            return Math.max(locked, MISSING);
        } catch (SQLException e) {
            if (e.getErrorCode() != MARIADB_NOT_NOW) {
                throw e;
            }
            connection.rollback();
            return MISSING;
        }
    }

    private int insert(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT IGNORE INTO " + rows + " (name) VALUES (?)")) {
            tokens().setName(insert, 1, name);
            return insert.executeUpdate();
        }
    }

    /** The named lock is asked for when the row is locked: its function stands in the answer, not in the condition. */
    private String lockRowText() {
        return "SELECT IF(GET_LOCK((SELECT " + LOCK_NAME + " FROM " + tokens().table()
                + " WHERE name = ?), 0) = 1, CONNECTION_ID(), " + TAKEN + ") FROM " + rows
                + " WHERE name = ? FOR UPDATE";
    }

    /** The connection's id if it has the row now; else {@link #MISSING} or {@link #TAKEN}. */
    private long lockRow(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(lockRowText() + " NOWAIT")) {
            tokens().setName(statement, 1, name);
            tokens().setName(statement, 2, name);
            statement.execute();
            long locked = number(statement);
            if (locked <= 0) {
                connection.rollback();
            }
            return locked;
        } catch (SQLException e) {
            if (e.getErrorCode() != MARIADB_NOT_NOW && e.getErrorCode() != MYSQL_NOT_NOW) {
                throw e;
            }
            connection.rollback();
            return TAKEN;
        }
    }

    @Override
    public void free(Connection connection) throws SQLException {
        super.free(connection);
        connection.rollback();
    }
}
