package io.holdfast.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections come from and how long one may be used. Thread-safe. */
interface SqlSessions extends AutoCloseable {
    /** What is done with a connection, in autocommit. */
    @FunctionalInterface
    interface Work<T> {
        /** Does it. */
        T run(Connection connection) throws SQLException;
    }

    /**
     * Runs {@code work} within the budget, again if the database gave it up for another one's sake. An interrupt
     * neither ends it nor is lost.
     *
     * @throws io.holdfast.StoreUnavailableException if there was no connection or the database failed
     */
    <T> T call(long budgetNanos, Work<T> work);

    @Override
    void close();
}
