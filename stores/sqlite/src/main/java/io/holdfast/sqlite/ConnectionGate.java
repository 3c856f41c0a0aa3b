package io.holdfast.sqlite;

import io.holdfast.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time use one connection, in the order in which they came, and gives up in time. Opens the
 * connection when it is first needed and again after an error that it did not survive.
 *
 * <p>One budget covers both waits: the one for other threads of this process (the lock) and the one for writers of other
 * processes (SQLite's own). An interrupt does not shorten them and is not lost, because a release has to work on an
 * interrupted thread. The lock is a {@link ReentrantLock}, so that waiting virtual threads do not pin.
 */
final class ConnectionGate implements AutoCloseable {
    /** Opens a connection. */
    @FunctionalInterface
    interface ConnectionSource {
        /** Does it. */
        Connection open() throws SQLException;
    }

    private final ReentrantLock lock = new ReentrantLock(true);
    private final ConnectionSource source;
    private final String location;
    private final MachineClock clock;
    private final SqliteConnection.Use use;
    private @Nullable SqliteConnection connection;
    private boolean closed;

    ConnectionGate(ConnectionSource source, String location, MachineClock clock, SqliteConnection.Use use) {
        this.source = source;
        this.location = location;
        this.clock = clock;
        this.use = use;
    }

    /**
     * Runs {@code work} with the connection.
     *
     * @throws StoreUnavailableException if the turn did not come within {@code budget} or the database failed
     */
    <T> T call(long budgetNanos, SqliteConnection.Work<T> work) {
        long start = System.nanoTime();
        enter(budgetNanos);
        try {
            if (closed) {
                throw new StoreUnavailableException("the store " + location + " is closed", false, null);
            }
            return run(start + budgetNanos, work);
        } finally {
            lock.unlock();
        }
    }

    private <T> T run(long deadline, SqliteConnection.Work<T> work) {
        try {
            SqliteConnection open = connection == null ? open(deadline) : connection;
            open.waitUntil = deadline;
            return work.run(open);
        } catch (SQLException e) {
            if (!SqliteErrors.survives(e)) {
                discard();
            }
            throw SqliteErrors.explain(e, location);
        }
    }

    private SqliteConnection open(long deadline) throws SQLException {
        SqliteConnection fresh = new SqliteConnection(source.open(), location, clock, use);
        boolean ready = false;
        try {
            fresh.waitUntil = deadline;
            fresh.prepare();
            ready = true;
        } finally {
            if (!ready) {
                fresh.close();
            }
        }
        connection = fresh;
        return fresh;
    }

    private void enter(long budgetNanos) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + budgetNanos;
        try {
            while (true) {
                try {
                    if (lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw new StoreUnavailableException(
                            "the store " + location + " did not get to this request within "
                                    + Duration.ofNanos(budgetNanos).toMillis()
                                    + " ms because of other threads of this process; raise ioTimeout or the TTL",
                            false,
                            null);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void discard() {
        SqliteConnection broken = connection;
        connection = null;
        if (broken == null) {
            return;
        }
        try {
            broken.close();
        } catch (SQLException e) {
            System.getLogger(ConnectionGate.class.getName())
                    .log(
                            System.Logger.Level.DEBUG,
                            "closing a broken connection to {0}: {1}",
                            location,
                            e.getMessage());
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            discard();
        } finally {
            lock.unlock();
        }
    }
}
