package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One connection with its prepared statements. Not thread-safe; a {@link SessionGate} guards it. */
final class SqlSession implements AutoCloseable {
    /** What runs inside a transaction. */
    @FunctionalInterface
    interface Work<T> {
        /** Does it. */
        T run(SqlSession session) throws SQLException;
    }

    private final Connection connection;
    private final SqlDialect dialect;
    private final Map<LeaseStatement, PreparedStatement> statements = new EnumMap<>(LeaseStatement.class);

    /** Until when statements may wait for another writer, on {@link System#nanoTime()}. */
    volatile long waitUntil;

    SqlSession(Connection connection, SqlDialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    Connection connection() {
        return connection;
    }

    SqlDialect dialect() {
        return dialect;
    }

    /** The statement, prepared once per connection. */
    PreparedStatement statement(LeaseStatement which) throws SQLException {
        PreparedStatement statement = statements.get(which);
        if (statement == null) {
            statement = connection.prepareStatement(dialect.text(which));
            statements.put(which, statement);
        }
        return statement;
    }

    /** Runs a statement without parameters or result. */
    void run(LeaseStatement which) throws SQLException {
        statement(which).execute();
    }

    /** Runs text that is needed once. */
    void run(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    /** The first column of the first row, or null. */
    @Nullable
    String ask(String text) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(text)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    /** Runs in a transaction that excludes other writers. */
    <T> T writing(Work<T> work) throws SQLException {
        return inTransaction(LeaseStatement.BEGIN_WRITE, work);
    }

    /** Runs in a transaction that excludes other writers of this name. */
    <T> T writing(String name, Work<T> work) throws SQLException {
        return writing(session -> {
            dialect.lockName(session, name);
            return work.run(session);
        });
    }

    /** Runs in a transaction that sees one state. */
    <T> T reading(Work<T> work) throws SQLException {
        return inTransaction(LeaseStatement.BEGIN_READ, work);
    }

    private <T> T inTransaction(LeaseStatement begin, Work<T> work) throws SQLException {
        run(begin);
        boolean done = false;
        try {
            T result = work.run(this);
            run(LeaseStatement.COMMIT);
            done = true;
            return result;
        } finally {
            if (!done) {
                rollback();
            }
        }
    }

    private void rollback() {
        try {
            run(LeaseStatement.ROLLBACK);
        } catch (SQLException e) {
            // After some errors the database has rolled back already. If it has not, the caller's error closes the
            // session, which rolls back too.
            System.getLogger(SqlSession.class.getName())
                    .log(System.Logger.Level.DEBUG, "rollback after an error: {0}", e.getMessage());
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
