package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time use one session, in the order they came, and gives up in time. Opens the session when it is
 * first needed and again after an error that it did not survive.
 *
 * <p>One budget covers both waits, the one for the other threads of this process (the lock) and the one for the
 * writers of other processes (the database's own). An interrupt neither shortens them nor is it lost: a release has to
 * work on an interrupted thread. The lock is a {@link ReentrantLock}, so that waiting virtual threads do not pin.
 */
final class SessionGate implements AutoCloseable {
    /** Opens a connection. */
    @FunctionalInterface
    interface ConnectionSource {
        /** Does it. */
        Connection open() throws SQLException;
    }

    private final ReentrantLock lock = new ReentrantLock(true);
    private final ConnectionSource source;
    private final SqlDialect dialect;
    private final String location;
    private @Nullable SqlSession session;
    private boolean closed;

    SessionGate(ConnectionSource source, SqlDialect dialect, String location) {
        this.source = source;
        this.dialect = dialect;
        this.location = location;
    }

    /**
     * Runs {@code work} with the session.
     *
     * @throws StoreUnavailableException if the turn did not come within {@code budget} or the database failed
     */
    <T> T call(long budgetNanos, SqlSession.Work<T> work) {
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

    private <T> T run(long deadline, SqlSession.Work<T> work) {
        try {
            SqlSession open = session == null ? open(deadline) : session;
            open.waitUntil = deadline;
            return work.run(open);
        } catch (SQLException e) {
            if (!dialect.survives(e)) {
                discard();
            }
            throw dialect.explain(e);
        }
    }

    private SqlSession open(long deadline) throws SQLException {
        Connection connection = source.open();
        SqlSession fresh = new SqlSession(connection, dialect);
        boolean ready = false;
        try {
            fresh.waitUntil = deadline;
            dialect.prepare(fresh);
            ready = true;
        } finally {
            if (!ready) {
                connection.close();
            }
        }
        session = fresh;
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
        SqlSession broken = session;
        session = null;
        if (broken == null) {
            return;
        }
        try {
            broken.close();
        } catch (SQLException e) {
            System.getLogger(SessionGate.class.getName())
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
