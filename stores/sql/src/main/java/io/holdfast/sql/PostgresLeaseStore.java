package io.holdfast.sql;

import io.holdfast.spi.Refused;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;

/** Lease rows in PostgreSQL, with waiters that are woken by LISTEN and NOTIFY on one connection per client. */
final class PostgresLeaseStore extends ServerLeaseStore implements WatchableStore {
    /** While notifications arrive, the name is asked about only so often; for the case that one was lost. */
    private static final Duration WITHOUT_HINT = Duration.ofSeconds(2);

    private final PostgresRows rows;
    private final PostgresListener listener;

    PostgresLeaseStore(
            StoreInfo info,
            SqlConfig config,
            PostgresRows rows,
            SqlSessions sessions,
            SqlSessions renewals,
            PostgresListener listener) {
        super(info, config, rows, sessions, renewals);
        this.rows = rows;
        this.listener = listener;
    }

    @Override
    Refused refusal(Refused refused) {
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
                () -> sessions.call(info().ioTimeout().toNanos(), connection -> rows.mark(connection, name)));
    }

    @Override
    public void close() {
        listener.close();
        super.close();
    }
}
