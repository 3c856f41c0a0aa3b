package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Locks of a session in MariaDB and MySQL: {@code GET_LOCK}, or a row that an open transaction has locked.
 *
 * <p>{@code GET_LOCK} compares names without case, knows 64 characters and is one space for the whole server: it is given
 * a hash of the table and the name. The server ends a session that is silent for the TTL ({@code wait_timeout}, which
 * counts whole seconds).
 */
final class MariaDbLocks implements SessionLocks {
    private static final long MISSING = 0;
    private static final long TAKEN = -1;
    private static final int MARIADB_NOT_NOW = 1205;
    private static final int MYSQL_NOT_NOW = 3572;

    private final TokenRows tokens;
    private final @Nullable String rows;

    /**
     * For a table of tokens.
     *
     * @param rows the table of rows to lock; null for {@code GET_LOCK}
     */
    MariaDbLocks(TokenRows tokens, @Nullable String rows) {
        this.tokens = tokens;
        this.rows = rows;
    }

    @Override
    public TokenRows.@Nullable Drawn take(Connection connection, String name, Claim claim, SqlSessions others)
            throws SQLException {
        long locked = rows == null ? getLock(connection, name) : lockRow(connection, rows, name);
        if (locked == MISSING && rows != null) {
            // No row is no lock, and never a grant.
            others.call(claim.ttl().toNanos(), other -> insert(other, rows, name));
            locked = lockRow(connection, rows, name);
        }
        return locked <= 0 ? null : adopt(connection, name, locked, claim, others);
    }

    @Override
    public TokenRows.Drawn adopt(Connection connection, String name, long session, Claim claim, SqlSessions others)
            throws SQLException {
        run(connection, "SET SESSION wait_timeout = " + (claim.ttl().toMillis() + 999) / 1000);
        return rows == null
                ? tokens.draw(connection, name, claim, session)
                : others.call(claim.ttl().toNanos(), other -> tokens.draw(other, name, claim, session));
    }

    /** The session's id if it has the lock now. */
    private long getLock(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT IF(GET_LOCK(?, 0) = 1, CONNECTION_ID(), -1)")) {
            statement.setString(1, lockName(name));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : TAKEN;
            }
        }
    }

    /** How long it waits for a row is a setting of the session ({@link MariaDb}); both count whole seconds. */
    @Override
    public long await(Connection connection, String name, Patience patience, SqlSessions others) throws SQLException {
        run(connection, "SET SESSION wait_timeout = " + IN_HAND.toSeconds());
        if (rows == null) {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT IF(GET_LOCK(?, ?) = 1, CONNECTION_ID(), 0)")) {
                statement.setString(1, lockName(name));
                statement.setLong(2, Math.max(1, patience.slice().toSeconds()));
                return session(statement, patience);
            }
        }
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT CONNECTION_ID() FROM " + rows + " WHERE name = ? FOR UPDATE")) {
            tokens.setName(statement, 1, name);
            long session = session(statement, patience);
            if (session == MISSING) {
                connection.rollback();
                if (!patience.isEnded()) {
                    others.call(patience.slice().toNanos(), other -> insert(other, rows, name));
                }
            }
            return session;
        } catch (SQLException e) {
            if (e.getErrorCode() != MARIADB_NOT_NOW) {
                throw e;
            }
            connection.rollback();
            return MISSING;
        }
    }

    private static long session(PreparedStatement statement, Patience patience) throws SQLException {
        if (!patience.execute(statement)) {
            return MISSING;
        }
        try (ResultSet row = statement.getResultSet()) {
            return row.next() ? row.getLong(1) : MISSING;
        }
    }

    private int insert(Connection connection, String table, String name) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT IGNORE INTO " + table + " (name) VALUES (?)")) {
            tokens.setName(insert, 1, name);
            return insert.executeUpdate();
        }
    }

    /** The session's id if it has the row now; else {@link #MISSING} or {@link #TAKEN}. */
    private long lockRow(Connection connection, String table, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT CONNECTION_ID() FROM " + table + " WHERE name = ? FOR UPDATE NOWAIT")) {
            tokens.setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    return row.getLong(1);
                }
            }
            connection.rollback();
            return MISSING;
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
        if (rows == null) {
            run(connection, "DO RELEASE_ALL_LOCKS()");
        } else {
            connection.rollback();
        }
        run(connection, "SET SESSION wait_timeout = DEFAULT");
    }

    /** Without a lock on the row, which the open transaction would keep from everybody who draws or revokes. */
    @Override
    public boolean ping(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT revoked FROM " + tokens.table + " WHERE name = ?")) {
            tokens.setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) != 0;
            }
        }
    }

    @Override
    public boolean held(Connection connection, String name) throws SQLException {
        if (rows == null) {
            return user(connection, name) != 0;
        }
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM " + rows + " WHERE name = ? FOR UPDATE NOWAIT")) {
            tokens.setName(statement, 1, name);
            statement.executeQuery().close();
            return false;
        } catch (SQLException e) {
            if (e.getErrorCode() != MARIADB_NOT_NOW && e.getErrorCode() != MYSQL_NOT_NOW) {
                throw e;
            }
            return true;
        }
    }

    @Override
    public void end(Connection connection, String name) throws SQLException {
        TokenRows.TokenRow row = tokens.read(connection, name);
        long session = rows == null ? user(connection, name) : row == null ? 0 : row.session();
        if (session != 0) {
            run(connection, "KILL CONNECTION " + session);
        }
    }

    private long user(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT IS_USED_LOCK(?)")) {
            statement.setString(1, lockName(name));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /** What {@code GET_LOCK} is given. */
    String lockName(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((tokens.table + NameSpace.SEPARATOR + name).getBytes(StandardCharsets.UTF_8));
            return "holdfast:" + HexFormat.of().formatHex(hash, 0, 24);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static void run(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
