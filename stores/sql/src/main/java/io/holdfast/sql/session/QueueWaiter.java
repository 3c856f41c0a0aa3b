package io.holdfast.sql.session;

import io.holdfast.StoreUnavailableException;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.ConnectionRuns;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for one lock in the database's queue, on a connection of the pool and a thread of its own. Does the I/O; what is
 * decided about it is told to its {@link Place}.
 */
final class QueueWaiter implements Runnable {
    /** Databases that count whole seconds wait for one at least. */
    private static final Duration SLICE_ROUNDED_UP = Duration.ofSeconds(1);

    private static final int FREE_TRIES = 3;

    /** This client's place in the queue. All calls come from the waiter's thread. */
    interface Place {
        /** Whether the lock is still wanted. */
        boolean isWanted();

        /** The lock is won; answers whether a claim has taken it over, and its connection with it. */
        boolean offer(WonLock won);

        /** The waiter has ended, and no claim has taken the lock over. */
        void ended(boolean healthy);
    }

    private final SessionLocks locks;
    private final LockConnections pool;
    private final SqlConfig config;
    private final String name;
    private final Place place;
    private final CancellableWait wait;
    private final Thread thread;

    QueueWaiter(SessionLocks locks, LockConnections pool, SqlConfig config, String name, Place place) {
        this.locks = locks;
        this.pool = pool;
        this.config = config;
        this.name = name;
        this.place = place;
        this.wait = new CancellableWait(config.ioTimeout().dividedBy(2));
        this.thread = new Thread(this, "holdfast-wait");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Cancels the statement that waits. */
    void cancel() {
        wait.end();
    }

    void join() {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        Connection connection = null;
        boolean taken = false;
        boolean healthy = false;
        try {
            connection = pool.take(0);
            ConnectionRuns.bound(
                    connection, config.ioTimeout().plus(SLICE_ROUNDED_UP).toNanos());
            taken = waitAndOffer(connection);
            if (!taken) {
                locks.free(connection);
            }
            healthy = true;
        } catch (SQLException | StoreUnavailableException e) {
            System.getLogger(QueueWaiter.class.getName())
                    .log(System.Logger.Level.DEBUG, "a lock is polled for: {0}", e.getMessage());
            if (connection != null && wait.isEnded()) {
                free(connection);
            }
        } finally {
            if (!taken) {
                putBack(connection, healthy);
                place.ended(healthy);
            }
        }
    }

    private boolean waitAndOffer(Connection connection) throws SQLException {
        while (place.isWanted()) {
            long connectionId = locks.await(connection, name, wait);
            if (connectionId != 0) {
                return place.offer(new WonLock(connection, connectionId));
            }
        }
        return false;
    }

    /**
     * The connection holds nothing when this returns. The database may have given it the lock at the moment of the cancel;
     * that lock would else be held until the server has noticed the end of the connection. A cancel that came late may
     * have met this very statement: so it is repeated.
     */
    private void free(Connection connection) {
        for (int tries = 0; tries < FREE_TRIES; tries++) {
            try {
                locks.free(connection);
                return;
            } catch (SQLException e) {
                System.getLogger(QueueWaiter.class.getName())
                        .log(System.Logger.Level.DEBUG, "a place in the queue is left: {0}", e.getMessage());
            }
        }
    }

    private void putBack(@Nullable Connection connection, boolean healthy) {
        if (connection == null) {
            return;
        }
        // A cancel that arrives late would hit the next statement on this connection.
        if (healthy && !wait.isEnded()) {
            pool.putBack(connection);
        } else {
            pool.discard(connection);
        }
    }
}
