package io.holdfast.sql;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Locks of a session in MariaDB and MySQL: {@code GET_LOCK}, or a row that an open transaction has locked.
 *
 * <p>{@code GET_LOCK} compares names without case, knows 64 characters and is one space for the whole server: it is given
 * the key in the name's row of tokens (U30). The server ends a session that is silent for the TTL ({@code wait_timeout},
 * which counts whole seconds).
 *
 * <p>A session that locks a row takes this named lock too, in the same statement, and frees it before the row. It excludes
 * nothing: it shows which session has the row, to a statement that locks nothing (U31). The tables in which these servers
 * list row locks differ, need rights, and in MariaDB leave out locks for which no other session waits.
 */
final class MariaDbLocks implements SessionLocks {
    private static final long MISSING = 0;
    private static final long TAKEN = -1;
    private static final int MARIADB_NOT_NOW = 1205;
    private static final int MYSQL_NOT_NOW = 3572;
    private static final int NO_SUCH_SESSION = 1094;
    private static final String PREFIX = "holdfast:";
    private static final String LOCK_NAME = "CONCAT('" + PREFIX + "', lock_key)";

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
        if (rows == null) {
            Long key = getLock(connection, name);
            return key == null ? null : drawn(connection, name, claim, key);
        }
        long locked = lockRow(connection, rows, name);
        if (locked == MISSING) {
            // No row is no lock, and never a grant.
            others.call(claim.ttl().toNanos(), other -> insert(other, rows, name));
            locked = lockRow(connection, rows, name);
        }
        return locked <= 0 ? null : adopt(connection, name, locked, claim, others);
    }

    /** A named lock is taken once more, which its own session always can: so it is that of the row as it is now. */
    @Override
    public TokenRows.Drawn adopt(Connection connection, String name, long session, Claim claim, SqlSessions others)
            throws SQLException {
        if (rows != null) {
            limit(connection, claim.ttl());
            return others.call(claim.ttl().toNanos(), other -> tokens.draw(other, name, claim, session, null));
        }
        Long key = getLock(connection, name);
        if (key == null) {
            throw lost(name);
        }
        return drawn(connection, name, claim, key);
    }

    private TokenRows.Drawn drawn(Connection connection, String name, Claim claim, long key) throws SQLException {
        limit(connection, claim.ttl());
        return tokens.draw(connection, name, claim, 0, key);
    }

    private SQLException lost(String name) {
        return new SQLException("the table " + tokens.table + " has lost the row of lock '" + name + "'", "02000");
    }

    /** The key in the row, if this session has its lock now. */
    private @Nullable Long getLock(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT GET_LOCK(" + LOCK_NAME + ", 0), lock_key FROM " + tokens.table + " WHERE name = ?")) {
            tokens.setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) == 1 ? row.getLong(2) : null;
            }
        }
    }

    /** How long it waits for a row is a setting of the session ({@link MariaDb}); both count whole seconds. */
    @Override
    public long await(Connection connection, String name, Patience patience, SqlSessions others) throws SQLException {
        limit(connection, IN_HAND);
        if (rows == null) {
            // Not with the key from a subquery: the wait would keep the table's definition locked.
            String lockName = lockName(connection, name);
            if (lockName == null) {
                throw lost(name);
            }
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT IF(GET_LOCK(?, ?) = 1, CONNECTION_ID(), 0)")) {
                statement.setString(1, lockName);
                statement.setLong(2, Math.max(1, patience.slice().toSeconds()));
                return patience.execute(statement) ? session(statement) : MISSING;
            }
        }
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(lockRowText(rows))) {
            tokens.setName(statement, 1, name);
            tokens.setName(statement, 2, name);
            long session = patience.execute(statement) ? session(statement) : MISSING;
            if (session <= 0) {
                connection.rollback();
                if (session == MISSING && !patience.isEnded()) {
                    others.call(patience.slice().toNanos(), other -> insert(other, rows, name));
                }
            }
            return Math.max(session, MISSING);
        } catch (SQLException e) {
            if (e.getErrorCode() != MARIADB_NOT_NOW) {
                throw e;
            }
            connection.rollback();
            return MISSING;
        }
    }

    private static long session(PreparedStatement statement) throws SQLException {
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

    /** The named lock is asked for when the row is locked: its function stands in the answer, not in the condition. */
    private String lockRowText(String table) {
        return "SELECT IF(GET_LOCK((SELECT " + LOCK_NAME + " FROM " + tokens.table
                + " WHERE name = ?), 0) = 1, CONNECTION_ID(), " + TAKEN + ") FROM " + table
                + " WHERE name = ? FOR UPDATE";
    }

    /** The session's id if it has the row now; else {@link #MISSING} or {@link #TAKEN}. */
    private long lockRow(Connection connection, String table, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(lockRowText(table) + " NOWAIT")) {
            tokens.setName(statement, 1, name);
            tokens.setName(statement, 2, name);
            statement.execute();
            long session = session(statement);
            if (session <= 0) {
                connection.rollback();
            }
            return session;
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
        run(connection, "SET @holdfast = RELEASE_ALL_LOCKS(), SESSION wait_timeout = DEFAULT");
        if (rows != null) {
            connection.rollback();
        }
    }

    @Override
    public void limit(Connection connection, Duration silence) throws SQLException {
        run(connection, "SET SESSION wait_timeout = " + limitOf(silence).toSeconds());
    }

    /** Whole seconds, and one at least. */
    @Override
    public Duration limitOf(Duration silence) {
        return Duration.ofSeconds(Math.max(1, (silence.toMillis() + 999) / 1000));
    }

    /** Without a lock on the row, which the open transaction would keep from every session that draws or revokes. */
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
    public long holder(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT IS_USED_LOCK(" + LOCK_NAME + ") FROM " + tokens.table + " WHERE name = ?")) {
            tokens.setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /** The server itself looks up which session has the lock, in the statement that ends it. */
    @Override
    public void end(Connection connection, String name, long session) throws SQLException {
        String lockName = lockName(connection, name);
        if (lockName == null) {
            return;
        }
        String holder = "IS_USED_LOCK('" + lockName + "')";
        try {
            run(connection, "KILL CONNECTION IF(" + holder + " = " + session + ", " + holder + ", 0)");
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_SESSION) {
                throw e;
            }
        }
    }

    private @Nullable String lockName(Connection connection, String name) throws SQLException {
        TokenRows.TokenRow row = tokens.read(connection, name);
        return row == null ? null : PREFIX + row.key();
    }

    private static void run(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
