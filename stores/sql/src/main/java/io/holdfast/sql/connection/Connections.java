package io.holdfast.sql.connection;

import java.sql.Connection;
import java.sql.SQLException;

/** Lends a connection for one piece of work. Thread-safe. */
public interface Connections extends AutoCloseable {
    /** What is done with a connection, in autocommit. */
    @FunctionalInterface
    interface Work<T> {
        /** Does it. */
        T run(Connection connection) throws SQLException;
    }

    /**
     * Runs {@code work} within the budget, and repeats it if the database gave it up in favour of another transaction. An
     * interrupt neither ends it nor is lost.
     *
     * @throws io.holdfast.StoreUnavailableException if there was no connection or the database failed
     */
    <T> T call(long budgetNanos, Work<T> work);

    @Override
    void close();
}
