package io.holdfast.sql.connection;

import io.holdfast.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Connections of an application's pool: one per call, returned in the state in which it came. */
public final class BorrowedConnections implements Connections {
    private final DataSource source;
    private final String location;

    public BorrowedConnections(DataSource source, String location) {
        this.source = source;
        this.location = location;
    }

    @Override
    public <T> T call(long budgetNanos, Work<T> work) {
        return ConnectionRuns.uninterrupted(() -> {
            long deadline = System.nanoTime() + budgetNanos;
            LentConnection lent = borrow();
            try {
                return bounded(lent.connection(), deadline, work);
            } catch (SQLException e) {
                throw SqlErrors.whileRunning(e, location);
            } finally {
                // The database has answered: that stands, also if the connection cannot be returned.
                lent.closeQuietly(location);
            }
        });
    }

    private <T> T bounded(Connection connection, long deadline, Work<T> work) throws SQLException {
        if (System.nanoTime() - deadline > 0) {
            // The caller was told of the timeout, and has released what this would take.
            throw new StoreUnavailableException(
                    "the application's pool for the database " + location
                            + " gave no connection in time: make it larger",
                    false,
                    null);
        }
        ConnectionRuns.bound(connection, Math.max(1_000_000, deadline - System.nanoTime()));
        return ConnectionRuns.run(connection, deadline, work);
    }

    private LentConnection borrow() {
        try {
            return new LentConnection(source.getConnection());
        } catch (SQLException e) {
            throw SqlErrors.whileConnecting(e, location, 0);
        }
    }

    /** The pool is the application's. */
    @Override
    public void close() {}
}
