package io.holdfast.sql.mariadb;

import io.holdfast.spi.Claim;
import io.holdfast.sql.session.CancellableWait;
import io.holdfast.sql.session.DrawnTokens;
import io.holdfast.sql.session.SessionLocks;
import io.holdfast.sql.session.TokenRow;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Advisory locks in MariaDB and MySQL: {@code GET_LOCK}. It compares names without case, knows 64 characters and is one
 * space for the whole server, so it is given the key in the name's row of tokens (U30). The server ends a connection that
 * is silent for the TTL ({@code wait_timeout}, which counts whole seconds).
 */
class MariaDbNamedLocks implements SessionLocks {
    private static final int NO_SUCH_CONNECTION = 1094;
    private static final String PREFIX = "holdfast:";

    /** The name of the lock, from a row of tokens. */
    static final String LOCK_NAME = "CONCAT('" + PREFIX + "', lock_key)";

    private final TokenRows tokens;

    MariaDbNamedLocks(TokenRows tokens) {
        this.tokens = tokens;
    }

    @Override
    public final TokenRows tokens() {
        return tokens;
    }

    @Override
    public @Nullable DrawnTokens take(Connection connection, String name, Claim claim) throws SQLException {
        Long key = getLock(connection, name);
        if (key == null) {
            return null;
        }
        limit(connection, claim.ttl());
        return tokens.drawUnder(connection, name, claim, key);
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

    /** The key in the row, if this connection has its lock now. */
    private @Nullable Long getLock(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT GET_LOCK(" + LOCK_NAME + ", 0), lock_key FROM " + tokens.table() + " WHERE name = ?")) {
            tokens.setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) == 1 ? row.getLong(2) : null;
            }
        }
    }

    /** Without the key from a subquery: that wait would keep the table's definition locked. Counts whole seconds. */
    @Override
    public long await(Connection connection, String name, CancellableWait wait) throws SQLException {
        limit(connection, UNCLAIMED);
        String lockName = lockName(connection, name);
        if (lockName == null) {
            throw tokens.lost(name);
        }
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT IF(GET_LOCK(?, ?) = 1, CONNECTION_ID(), 0)")) {
            statement.setString(1, lockName);
            statement.setLong(2, Math.max(1, wait.slice().toSeconds()));
            return wait.execute(statement) ? number(statement) : 0;
        }
    }

    /** The first number of the answer; 0 if there is none. */
    static long number(PreparedStatement executed) throws SQLException {
        try (ResultSet row = executed.getResultSet()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    @Override
    public void free(Connection connection) throws SQLException {
        run(connection, "SET @holdfast = RELEASE_ALL_LOCKS(), SESSION wait_timeout = DEFAULT");
    }

    @Override
    public final void limit(Connection connection, Duration silence) throws SQLException {
        run(connection, "SET SESSION wait_timeout = " + limitOf(silence).toSeconds());
    }

    /** Whole seconds, and one at least. */
    @Override
    public final Duration limitOf(Duration silence) {
        return Duration.ofSeconds(Math.max(1, (silence.toMillis() + 999) / 1000));
    }

    /** Without a lock on the row: an open transaction would keep that from every connection that draws or revokes. */
    @Override
    public final boolean ping(Connection connection, String name) throws SQLException {
        return tokens.isRevoked(connection, name);
    }

    @Override
    public final long holder(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT IS_USED_LOCK(" + LOCK_NAME + ") FROM " + tokens.table() + " WHERE name = ?")) {
            tokens.setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /** The server itself looks up which connection has the lock, in the statement that ends it. */
    @Override
    public final void end(Connection connection, String name, long connectionId) throws SQLException {
        String lockName = lockName(connection, name);
        if (lockName == null) {
            return;
        }
        String holder = "IS_USED_LOCK('" + lockName + "')";
        try {
            run(connection, "KILL CONNECTION IF(" + holder + " = " + connectionId + ", " + holder + ", 0)");
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_CONNECTION) {
                throw e;
            }
        }
    }

    private @Nullable String lockName(Connection connection, String name) throws SQLException {
        TokenRow row = tokens.read(connection, name);
        return row == null ? null : PREFIX + row.key();
    }

    private static void run(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
