package io.holdfast.sqlite;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.sqlite.BusyHandler;

/**
 * Waits for the writer of another process by short random sleeps, until the connection's deadline. SQLite's own waiting
 * sleeps for up to 100 ms at a time, while a write takes some 20 µs. Under contention that would be most of a request's
 * time, and a short TTL would leave no time for a second try.
 */
final class SqliteBusyBackoff extends BusyHandler {
    private static final long SHORTEST_NANOS = 50_000;
    private static final long LONGEST_NANOS = 2_000_000;

    private final SqliteConnection connection;

    SqliteBusyBackoff(SqliteConnection connection) {
        this.connection = connection;
    }

    @Override
    protected int callback(int calls) {
        long left = connection.waitUntil - System.nanoTime();
        if (left <= 0) {
            return 0; // SQLITE_BUSY
        }
        long most = Math.min(LONGEST_NANOS, SHORTEST_NANOS << Math.min(calls + 1, 10));
        boolean interrupted = Thread.interrupted(); // an interrupted thread would not sleep, but spin
        LockSupport.parkNanos(Math.min(left, ThreadLocalRandom.current().nextLong(SHORTEST_NANOS, most)));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return 1;
    }
}
