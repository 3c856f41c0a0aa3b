package io.holdfast.sql.rows;

import io.holdfast.spi.StoreContext;
import io.holdfast.sql.connection.Connections;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Deletes rows that are not needed any more, a part of the table after every 256 grants, on the client's executor. The
 * count starts anywhere, so that short-lived clients sweep as well.
 */
final class RowSweeper {
    private static final int EVERY = 256;

    private final LeaseRows rows;
    private final Connections connections;
    private final String location;
    private final long budgetNanos;
    private final AtomicInteger grants =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(EVERY));
    private volatile String sweptTo = "";

    RowSweeper(LeaseRows rows, Connections connections, String location, long budgetNanos) {
        this.rows = rows;
        this.connections = connections;
        this.location = location;
        this.budgetNanos = budgetNanos;
    }

    /** A grant of this name is committed: it stands, whether or not a sweep succeeds. */
    void granted(String name, StoreContext context) {
        if (grants.incrementAndGet() % EVERY != 0) {
            return;
        }
        try {
            context.executor().execute(() -> sweep(sweptTo.isEmpty() ? name : sweptTo));
        } catch (RejectedExecutionException closing) {
            // Another client sweeps.
            return;
        }
    }

    private void sweep(String after) {
        try {
            sweptTo = connections.call(budgetNanos, connection -> rows.sweep(connection, after, 2 * EVERY));
        } catch (RuntimeException e) {
            System.getLogger(RowSweeper.class.getName())
                    .log(System.Logger.Level.DEBUG, "a sweep of {0} is put off: {1}", location, e.getMessage());
        }
    }
}
