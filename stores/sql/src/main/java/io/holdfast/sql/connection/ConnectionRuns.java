package io.holdfast.sql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** How work runs on a connection that a thread has: repeated, bounded in time, and not interrupted. */
public final class ConnectionRuns {
    private static final int TRIES = 10;

    private ConnectionRuns() {}

    /** Runs work, and repeats it while there is time if it was a deadlock victim or could not be serialized. */
    public static <T> T run(Connection connection, long deadline, Connections.Work<T> work) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return work.run(connection);
            } catch (SQLException e) {
                if (!SqlErrors.isRetry(e) || tries == TRIES || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000, 1_000_000) * tries);
            }
        }
    }

    /** Bounds how long the connection waits for an answer. */
    public static void bound(Connection connection, long nanos) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    /** Runs a task without the thread's interrupt and restores it: a release has to work on an interrupted thread. */
    public static <T> T uninterrupted(Supplier<T> task) {
        boolean interrupted = Thread.interrupted();
        try {
            return task.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
