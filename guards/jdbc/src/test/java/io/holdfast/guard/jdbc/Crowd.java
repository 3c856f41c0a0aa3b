package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.jdbc.TestDatabase.Schema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that each read a row and write what they computed, under a guard and under no lock at all: every conflict
 * there can be. What the database calls a conflict is repeated in a new transaction with the same token.
 */
final class Crowd {
    private final Schema schema;
    private final JdbcGuard guard;
    private final int isolation;
    private final AtomicLong tokens = new AtomicLong(100);
    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private long before;

    Crowd(Schema schema, JdbcGuard guard, int isolation) {
        this.schema = schema;
        this.guard = guard;
        this.isolation = isolation;
    }

    void run(int threads, int turns) throws Exception {
        before = pieces();
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(executor.submit(() -> {
                    try (Connection connection = schema.begin(isolation)) {
                        start.await();
                        for (int turn = 0; turn < turns; turn++) {
                            take(connection, new Sequencer("job", Mode.EXCLUSIVE, tokens.incrementAndGet()));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    int admitted() {
        return admitted.get();
    }

    int refused() {
        return refused.get();
    }

    void assertNothingLost() throws SQLException {
        assertThat(pieces()).as("one piece less for each that was admitted").isEqualTo(before - admitted());
    }

    private void take(Connection connection, Sequencer sequencer) throws SQLException {
        while (true) {
            try {
                guard.admit(connection, sequencer);
                long read = Schema.number(connection, "SELECT pieces FROM stock WHERE id = 42");
                Schema.execute(connection, "UPDATE stock SET pieces = " + (read - 1) + " WHERE id = 42");
                connection.commit();
                admitted.incrementAndGet();
                return;
            } catch (StaleTokenException e) {
                connection.rollback();
                refused.incrementAndGet();
                return;
            } catch (SQLException e) {
                connection.rollback();
                if (!Conflicts.isRetryable(e)) {
                    throw e;
                }
            }
        }
    }

    private long pieces() throws SQLException {
        return schema.number("SELECT pieces FROM stock WHERE id = 42");
    }
}
