package io.holdfast.sql;

import io.holdfast.Mode;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.support.ReadOnlyStore;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.config.SqlMode;
import io.holdfast.sql.connection.ConnectionSource;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.connection.KeptConnection;
import io.holdfast.sql.database.Database;
import io.holdfast.sql.rows.LeaseRowStore;
import io.holdfast.sql.session.LockConnections;
import io.holdfast.sql.session.SessionLockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * Checks the tables and puts the parts of a store together.
 *
 * @param database the kind of database
 * @param config the options
 * @param location the URL for people
 * @param connections for single requests
 * @param source opens connections that the store keeps
 * @param borrowed whether connections are the application's, so that no request may run on the caller's thread
 */
record StoreAssembly(
        Database database,
        SqlConfig config,
        String location,
        Connections connections,
        ConnectionSource source,
        boolean borrowed) {
    private static final Duration OPENING = Duration.ofSeconds(10);

    /** The store. The caller closes the connections if this fails. */
    LockStore open() {
        long opening = Math.max(config.ioTimeout().toNanos(), OPENING.toNanos());
        String salt =
                connections.call(opening, connection -> SqlSchema.prepare(connection, database, config, location));
        LockStore store = config.mode() == SqlMode.LEASE ? leaseStore(salt, opening) : sessionStore(salt);
        return config.readOnly() ? new ReadOnlyStore(store) : store;
    }

    private StoreInfo info() {
        StoreInfo info = StoreInfo.of(database.kind(), location)
                .withIoTimeout(config.ioTimeout())
                .withPauses(config.pauseMin(), config.pauseRandom());
        return borrowed ? info : info.asBlocking();
    }

    private LockStore leaseStore(String salt, long opening) {
        KeptConnection renewals = new KeptConnection(source, location);
        if (borrowed) {
            // Taken while the application's pool has one: renewals must not wait for threads that use the pool up.
            renewals.call(opening, Connection::getAutoCommit);
        }
        return database.leaseStore(new LeaseRowStore.Parts(info(), config, connections, renewals, source), salt);
    }

    private LockStore sessionStore(String salt) {
        StoreInfo limits = info();
        StoreInfo info = new StoreInfo(
                database.kind() + "-" + config.mode().name().toLowerCase(Locale.ROOT),
                location,
                database.shortestSessionTtl(),
                Duration.ofDays(1),
                limits.maxNameLength(),
                Set.of(Mode.EXCLUSIVE),
                false,
                limits.ioTimeout(),
                true,
                limits.pauseMin(),
                limits.pauseRandom());
        return new SessionLockStore(
                info,
                config,
                database.sessionLocks(config, salt, connections),
                new LockConnections(this::readingWhatIsCommitted, config, location),
                connections);
    }

    /** A holder's transaction is open for long, and a renewal in it looks for a revocation that came later. */
    private Connection readingWhatIsCommitted() throws SQLException {
        Connection connection = source.open();
        boolean ready = false;
        try {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            ready = true;
            return connection;
        } finally {
            if (!ready) {
                connection.close();
            }
        }
    }
}
