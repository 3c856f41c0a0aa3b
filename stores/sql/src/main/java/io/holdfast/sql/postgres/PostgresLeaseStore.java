package io.holdfast.sql.postgres;

import io.holdfast.spi.Refused;
import io.holdfast.spi.WatchableStore;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.rows.LeaseRowStore;
import java.time.Duration;

/** Lease rows in PostgreSQL, where LISTEN and NOTIFY wake waiting clients, on one connection per client. */
public final class PostgresLeaseStore extends LeaseRowStore implements WatchableStore {
    /** While notifications arrive, a waiting client asks only so often, for the case that one was lost. */
    private static final Duration WITHOUT_HINT = Duration.ofSeconds(2);

    private final PostgresRows rows;
    private final PostgresListener listener;

    PostgresLeaseStore(LeaseRowStore.Parts parts, PostgresRows rows, PostgresListener listener) {
        super(parts, rows);
        this.rows = rows;
        this.listener = listener;
    }

    /** For tests. */
    Connections connections() {
        return connections;
    }

    @Override
    protected Refused refusal(Refused refused) {
        Duration remaining = refused.remaining();
        if (remaining == null || !listener.isListening()) {
            return refused;
        }
        Duration worthwhile = remaining.compareTo(WITHOUT_HINT) < 0 ? remaining : WITHOUT_HINT;
        return new Refused(refused.heldBy(), remaining, refused.inLockDelay(), worthwhile);
    }

    @Override
    public Watch watch(String lockName, Runnable wake) {
        String name = names.full(lockName);
        return listener.watch(
                name,
                () -> {
                    rows.expectFree(name);
                    wake.run();
                },
                () -> connections.call(info().ioTimeout().toNanos(), connection -> rows.mark(connection, name)));
    }

    @Override
    public void close() {
        listener.close();
        super.close();
    }
}
