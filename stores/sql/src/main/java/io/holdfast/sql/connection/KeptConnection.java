package io.holdfast.sql.connection;

import io.holdfast.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One connection that one store uses for renewals only, opened when it is first needed and again after an error. So
 * threads that use up the pool cannot end leases.
 */
public final class KeptConnection implements Connections {
    private final ReentrantLock lock = new ReentrantLock();
    private final ConnectionSource source;
    private final String location;
    private @Nullable LentConnection kept;
    private boolean closed;

    public KeptConnection(ConnectionSource source, String location) {
        this.source = source;
        this.location = location;
    }

    @Override
    public <T> T call(long budgetNanos, Work<T> work) {
        return ConnectionRuns.uninterrupted(() -> {
            long deadline = System.nanoTime() + budgetNanos;
            enter(budgetNanos);
            try {
                return run(deadline, work);
            } finally {
                lock.unlock();
            }
        });
    }

    private <T> T run(long deadline, Work<T> work) {
        if (closed) {
            throw new StoreUnavailableException("the store " + location + " is closed", false, null);
        }
        Connection connection = connection();
        boolean healthy = false;
        try {
            ConnectionRuns.bound(connection, Math.max(1, deadline - System.nanoTime()));
            T result = ConnectionRuns.run(connection, deadline, work);
            healthy = true;
            return result;
        } catch (SQLException e) {
            throw SqlErrors.whileRunning(e, location);
        } finally {
            if (!healthy) {
                discard();
            }
        }
    }

    private Connection connection() {
        LentConnection open = kept;
        try {
            if (open == null) {
                open = new LentConnection(source.open());
                kept = open;
            }
            return open.connection();
        } catch (SQLException e) {
            throw SqlErrors.whileConnecting(e, location, 1);
        }
    }

    private void enter(long budgetNanos) {
        try {
            if (lock.tryLock(budgetNanos, TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new StoreUnavailableException(
                "the connection for renewals to " + location + " was in use for "
                        + Duration.ofNanos(budgetNanos).toMillis() + " ms",
                false,
                null);
    }

    private void discard() {
        LentConnection ended = kept;
        kept = null;
        if (ended != null) {
            ended.closeQuietly(location);
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
