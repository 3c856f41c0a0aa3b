package io.holdfast.guard.jdbc;

import io.holdfast.LockNames;
import io.holdfast.fence.Marks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The table {@code holdfast_fence(resource, lock_name, any_token, exclusive_token)} in the database of the data, and
 * what an operator does with it. Immutable. Every verb works in the caller's transaction, or commits by itself on a
 * connection in autocommit mode; errors of the database are passed on.
 */
public final class FenceTable {
    /** The name of the table unless another is given. */
    public static final String NAME = "holdfast_fence";

    private static final Pattern IDENTIFIER =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_$]{0,62}(\\.[A-Za-z_][A-Za-z0-9_$]{0,62})?");

    private final String name;

    private FenceTable(String name) {
        this.name = identifier("table", name);
    }

    /** The table {@value #NAME}, as the connection's search path finds it. */
    public static FenceTable standard() {
        return new FenceTable(NAME);
    }

    /** A table of another name, or with its schema: {@code app.holdfast_fence}. */
    public static FenceTable named(String name) {
        return new FenceTable(name);
    }

    /** Its name, as it stands in statements. */
    public String name() {
        return name;
    }

    /** The statement that creates it, for a migration; {@code jdbcUrl} says for which database. */
    public String ddl(String jdbcUrl) {
        return FenceDialect.ofUrl(jdbcUrl).ddl(name);
    }

    /** Creates it if it does not exist. Not inside a transaction of the caller: some databases commit it. */
    public void create(Connection connection) throws SQLException {
        String ddl = FenceDialect.of(connection).ddl(name);
        for (int attempt = 1; ; attempt++) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(ddl);
                return;
            } catch (SQLException e) {
                // PostgreSQL: two clients that create the same table at the same time collide in its catalogue.
                if (attempt == 2 || !String.valueOf(e.getSQLState()).startsWith("23") || !connection.getAutoCommit()) {
                    throw e;
                }
            }
        }
    }

    /** What it says about a resource. */
    public Optional<FenceRow> find(Connection connection, String resource) throws SQLException {
        LockNames.check("resource", resource);
        FenceDialect dialect = FenceDialect.of(connection);
        try (PreparedStatement statement = connection.prepareStatement(dialect.read(name))) {
            dialect.bind(statement, 1, resource);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(row(dialect, resource, rows)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    /**
     * Refuses every token below {@code token} from now on, shared ones also {@code token} itself. Never lowers a mark,
     * so it is safe while holders work.
     *
     * @throws IllegalArgumentException if the resource is guarded by another lock
     */
    public void raise(Connection connection, String resource, String lockName, long token) throws SQLException {
        if (token <= 0) {
            throw new IllegalArgumentException("token " + token + " is not positive");
        }
        FenceRow row = raise(connection, resource, lockName, true, token);
        if (!row.lockName().equals(lockName)) {
            throw new IllegalArgumentException(
                    "'" + resource + "' is guarded by lock '" + row.lockName() + "', not by '" + lockName + "'");
        }
    }

    /**
     * Sets the marks and the lock of a resource to what is given, lower ones too. Stop every user of the lock first:
     * an old holder that is still alive would be admitted again.
     */
    public void reset(Connection connection, String resource, String lockName, Marks marks) throws SQLException {
        raise(connection, resource, lockName, false, 1); // creates the row, or locks it
        FenceDialect dialect = FenceDialect.of(connection);
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE " + name + " SET lock_name = ?, any_token = ?, exclusive_token = ? WHERE resource = ?")) {
            dialect.bind(statement, 1, LockNames.check(lockName));
            statement.setLong(2, marks.any());
            statement.setLong(3, marks.exclusive());
            dialect.bind(statement, 4, resource);
            statement.executeUpdate();
        }
    }

    /** Creates, raises and locks the row; returns what it says then. */
    FenceRow raise(Connection connection, String resource, String lockName, boolean exclusive, long token)
            throws SQLException {
        LockNames.check("resource", resource);
        LockNames.check(lockName);
        FenceDialect dialect = FenceDialect.of(connection);
        for (int attempt = 1; ; attempt++) {
            try {
                return raise(connection, dialect, resource, lockName, exclusive, token);
            } catch (SQLException e) {
                if (dialect != FenceDialect.H2 || !"23505".equals(e.getSQLState())) {
                    throw explained(e);
                }
                // H2: the first row of another transaction was not visible yet when this one decided to insert. It is
                // now, unless
                // the transaction's snapshot is older.
                if (attempt == 3) {
                    throw new SQLTransactionRollbackException(
                            "'" + resource + "' was marked for the first time by another transaction meanwhile: repeat"
                                    + " yours",
                            "40001",
                            e);
                }
            }
        }
    }

    private FenceRow raise(
            Connection connection,
            FenceDialect dialect,
            String resource,
            String lockName,
            boolean exclusive,
            long token)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(dialect.raise(name, exclusive))) {
            dialect.bind(statement, 1, resource);
            dialect.bind(statement, 2, lockName);
            statement.setLong(3, token);
            statement.setLong(4, exclusive ? token : 0);
            if (dialect.raiseAnswers()) {
                try (ResultSet rows = statement.executeQuery()) {
                    return only(dialect, resource, rows);
                }
            }
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement(dialect.readLocked(name))) {
            dialect.bind(statement, 1, resource);
            try (ResultSet rows = statement.executeQuery()) {
                return only(dialect, resource, rows);
            }
        }
    }

    private FenceRow only(FenceDialect dialect, String resource, ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new SQLException("the row of '" + resource + "' in " + name + " vanished while it was marked");
        }
        FenceRow row = row(dialect, resource, rows);
        while (rows.next()) {
            // Read to the end: on SQLite the statement is over only then.
        }
        return row;
    }

    private static FenceRow row(FenceDialect dialect, String resource, ResultSet rows) throws SQLException {
        return new FenceRow(resource, dialect.name(rows, 1), new Marks(rows.getLong(2), rows.getLong(3)));
    }

    /** A missing table is the one error that every new user meets. */
    private SQLException explained(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        boolean missing = state.equals("42P01")
                || state.equals("42S02")
                || state.equals("42S04")
                || String.valueOf(error.getMessage()).contains("no such table");
        return missing
                ? new SQLException(
                        "the table " + name + " does not exist in this database: create it once with"
                                + " FenceTable.create(connection), or put FenceTable.ddl(url) into your migrations",
                        error.getSQLState(),
                        error.getErrorCode(),
                        error)
                : error;
    }

    static String identifier(String what, String name) {
        if (!IDENTIFIER.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name.replaceAll("[^\\x20-\\x7e]", "?") + "' is not the name of a "
                    + what + ": letters, digits, _ and $, with or without its schema");
        }
        return name;
    }
}
