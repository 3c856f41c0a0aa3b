package io.holdfast.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What every kind of {@link SqlSessions} does with a connection it has. */
final class Turns {
    private static final int TRIES = 10;

    private Turns() {}

    /** Runs, and repeats what the database gave up (a deadlock victim, a serialization failure) while there is time. */
    static <T> T run(Connection connection, long deadline, SqlSessions.Work<T> work) throws SQLException {
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
    static void bound(Connection connection, long nanos) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    /** Runs without the thread's interrupt, which is put back: a release has to work on an interrupted thread. */
    static <T> T uninterrupted(java.util.function.Supplier<T> task) {
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
