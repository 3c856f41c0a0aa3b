package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import java.sql.SQLException;

/**
 * What differs between databases: the text of the statements, the clock that leases are counted on, and what an error
 * means. Stateless or thread-safe; used by every session of a store.
 *
 * <p>A dialect promises that after {@link #lockName} nobody else reads the rows of that name for writing, or writes
 * them, until the transaction ends, also if the name has no row yet; and that {@link LeaseStatement#ACQUIRE_EXCLUSIVE}
 * decides atomically by itself (U12).
 */
interface SqlDialect {
    /** The text of a statement, its parameters written {@code ?1} to {@code ?n} as the statement documents them. */
    String text(LeaseStatement statement);

    /**
     * Brings a fresh connection, and where needed the schema, into the state the statements rely on. From then on no
     * statement waits for another writer beyond {@link SqlSession#waitUntil}.
     */
    void prepare(SqlSession session) throws SQLException;

    /** In a write transaction, before the rows of a name are read: makes sure that nobody else writes them. */
    void lockName(SqlSession session, String name) throws SQLException;

    /** The clock on which leases are counted, in nanoseconds. Inside a write transaction: as of now, not of its begin. */
    long leaseNanos(SqlSession session) throws SQLException;

    /** The wall clock that seeds tokens, in microseconds since 1970. */
    long wallMicros(SqlSession session) throws SQLException;

    /** Makes the next transaction survive a crash of the whole machine, or no longer, for what is not a lease. */
    void durable(SqlSession session, boolean on) throws SQLException;

    /** What an error of this database means for the caller. */
    StoreUnavailableException explain(SQLException error);

    /** Whether the session is worth keeping after this error. */
    boolean survives(SQLException error);
}
