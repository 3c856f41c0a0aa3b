package io.holdfast.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sqlite.BusyHandler;

/**
 * One connection to a lock file, with its prepared statements and the clocks that its rows count on. Not thread-safe; a
 * {@link ConnectionGate} guards it.
 *
 * <p>The journal is write-ahead with {@code synchronous=NORMAL}: a commit survives the death of any process at once, and
 * a crash of the machine only after the next checkpoint. What a crash can take back is sound: leases are void after it
 * (another boot), and tokens are seeded by the clock, which has moved on. Marks of guarded resources must survive a
 * crash and are committed with {@code FULL}.
 */
final class SqliteConnection implements AutoCloseable {
    /** What a connection is for. */
    enum Use {
        /** Writes and, where needed, creates the schema. */
        WRITE,
        /** Reads beside a connection that writes. */
        READ,
        /** Reads a file that this process does not write: it may be of another boot. */
        LOOK
    }

    /** What runs on a connection. */
    @FunctionalInterface
    interface Work<T> {
        /** Does it. */
        T run(SqliteConnection connection) throws SQLException;
    }

    private final Connection connection;
    private final MachineClock clock;
    private final SqliteSchema schema;
    private final Use use;
    private final Map<SqliteStatement, PreparedStatement> statements = new EnumMap<>(SqliteStatement.class);

    /** Until when statements may wait for another writer, on {@link System#nanoTime()}. */
    volatile long waitUntil;

    SqliteConnection(Connection connection, String location, MachineClock clock, Use use) {
        this.connection = connection;
        this.clock = clock;
        this.schema = new SqliteSchema(location, clock);
        this.use = use;
    }

    /**
     * Brings a fresh connection, and where needed the schema, into the state that the statements rely on. From then on
     * no statement waits for another writer beyond {@link #waitUntil}.
     */
    void prepare() throws SQLException {
        BusyHandler.setHandler(connection, new SqliteBusyBackoff(this));
        switch (use) {
            case WRITE -> schema.prepare(this);
            case READ -> run("PRAGMA query_only = ON");
            case LOOK -> schema.prepareToLook(this);
        }
    }

    /**
     * The clock on which leases are counted. After the end of every lease, if the leases are of another boot and no client
     * has said so in the file yet.
     *
     * <p>A statement outside a write transaction may use an older time than the one at which it runs. That is harmless
     * where it can only refuse more or grant less (acquire, release). Renewals read the time inside.
     */
    long leaseNanos() throws SQLException {
        return use == Use.LOOK && !schema.isOfThisBoot(this) ? Long.MAX_VALUE : clock.nanos();
    }

    /** The wall clock that seeds tokens, in microseconds since 1970. */
    long wallMicros() {
        return clock.wallMicros();
    }

    /** Makes the next transactions survive a crash of the whole machine, or no longer. */
    void durable(boolean on) throws SQLException {
        run(on ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    }

    /** The statement, prepared once per connection. */
    PreparedStatement statement(SqliteStatement which) throws SQLException {
        PreparedStatement statement = statements.get(which);
        if (statement == null) {
            statement = connection.prepareStatement(which.text);
            statements.put(which, statement);
        }
        return statement;
    }

    /** Prepares a statement that is needed once; the caller closes it. */
    PreparedStatement prepareOnce(String text) throws SQLException {
        return connection.prepareStatement(text);
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

    /** Runs in a transaction that excludes other writers of the file. */
    <T> T writing(Work<T> work) throws SQLException {
        return inTransaction(SqliteStatement.BEGIN_WRITE, work);
    }

    /** Runs in a transaction that sees one state. */
    <T> T reading(Work<T> work) throws SQLException {
        return inTransaction(SqliteStatement.BEGIN_READ, work);
    }

    private <T> T inTransaction(SqliteStatement begin, Work<T> work) throws SQLException {
        statement(begin).execute();
        boolean done = false;
        try {
            T result = work.run(this);
            statement(SqliteStatement.COMMIT).execute();
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
            statement(SqliteStatement.ROLLBACK).execute();
        } catch (SQLException e) {
            // After some errors SQLite has rolled back already. If it has not, the caller's error closes the
            // connection, which rolls back too.
            System.getLogger(SqliteConnection.class.getName())
                    .log(System.Logger.Level.DEBUG, "rollback after an error: {0}", e.getMessage());
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
