package io.holdfast.sql;

import io.holdfast.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Connections for locks that sessions hold: as many as locks may be held at the same time. A connection is checked when
 * it was idle for a second; one on which anything failed is not used again, and whatever it held is then free.
 */
final class SessionPool implements AutoCloseable {
    private record Idle(Connection connection, long since) {}

    private final KeptSession.Source source;
    private final SqlConfig config;
    private final String location;
    private final Semaphore free;
    private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    SessionPool(KeptSession.Source source, SqlConfig config, String location) {
        this.source = source;
        this.config = config;
        this.location = location;
        this.free = new Semaphore(config.poolSize());
    }

    /** A connection that is the caller's until it is given back or discarded. */
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
            quietly(next.connection);
        }
        return source.open();
    }

    /** It holds nothing any more. */
    void giveBack(Connection connection) {
        if (closed) {
            quietly(connection);
        } else {
            idle.addFirst(new Idle(connection, System.nanoTime()));
        }
        free.release();
    }

    /** Something failed on it: what it holds ends with it. */
    void discard(Connection connection) {
        quietly(connection);
        free.release();
    }

    @Override
    public void close() {
        closed = true;
        for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            quietly(next.connection);
        }
    }

    private void quietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            System.getLogger(SessionPool.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a connection to {0}: {1}", location, e.getMessage());
        }
    }
}
