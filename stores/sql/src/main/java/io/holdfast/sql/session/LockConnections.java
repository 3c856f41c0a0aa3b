package io.holdfast.sql.session;

import io.holdfast.StoreUnavailableException;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.ConnectionSource;
import io.holdfast.sql.connection.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The connections that hold session locks: as many as locks may be held at the same time. A connection is checked before
 * use if it was idle for a second. One on which a statement failed is not used again; a lock that it held is then free.
 */
public final class LockConnections implements AutoCloseable {
    private record Idle(Connection connection, long since) {}

    private final ConnectionSource source;
    private final SqlConfig config;
    private final String location;
    private final Semaphore free;
    private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /** Opens connections as they are needed. */
    public LockConnections(ConnectionSource source, SqlConfig config, String location) {
        this.source = source;
        this.config = config;
        this.location = location;
        this.free = new Semaphore(config.poolSize());
    }

    /** A connection that is the caller's until it is returned or discarded. */
    Connection take(long budgetNanos) {
        boolean entered = false;
        try {
            entered = free.tryAcquire(budgetNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!entered || closed) {
            if (entered) {
                free.release();
            }
            throw new StoreUnavailableException(
                    closed
                            ? "the store " + location + " is closed"
                            : "all " + config.poolSize() + " connections to the database " + location
                                    + " hold locks (one each in this mode) for "
                                    + Duration.ofNanos(budgetNanos).toMillis()
                                    + " ms; raise holdfast.poolSize, or use lease rows",
                    false,
                    null);
        }
        boolean taken = false;
        try {
            Connection connection = connection();
            taken = true;
            return connection;
        } catch (SQLException e) {
            throw SqlErrors.whileConnecting(e, location, config.poolSize());
        } finally {
            if (!taken) {
                free.release();
            }
        }
    }

    private Connection connection() throws SQLException {
        for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            boolean fresh = System.nanoTime() - next.since < TimeUnit.SECONDS.toNanos(1);
            if (fresh || next.connection.isValid(1)) {
                return next.connection;
            }
            closeQuietly(next.connection);
        }
        return source.open();
    }

    /** The connection holds no lock any more. */
    void putBack(Connection connection) {
        if (closed) {
            closeQuietly(connection);
        } else {
            idle.addFirst(new Idle(connection, System.nanoTime()));
        }
        free.release();
    }

    /** A statement failed on the connection: a lock that it holds ends with it. */
    void discard(Connection connection) {
        closeQuietly(connection);
        free.release();
    }

    @Override
    public void close() {
        closed = true;
        for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            closeQuietly(next.connection);
        }
    }

    private void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            System.getLogger(LockConnections.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a connection to {0}: {1}", location, e.getMessage());
        }
    }
}
