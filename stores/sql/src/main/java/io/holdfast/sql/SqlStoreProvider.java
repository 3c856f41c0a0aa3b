package io.holdfast.sql;

import io.holdfast.Mode;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.spi.support.ReadOnlyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Opens {@code jdbc:} URLs. Options that begin with {@code holdfast} are the store's, all others the driver's, whose jar
 * is the user's to bring.
 */
public final class SqlStoreProvider implements StoreProvider {
    private static final Pattern USER_IN_ADDRESS = Pattern.compile("^(postgresql|mariadb)://[^/?]*@");

    /** For {@link java.util.ServiceLoader}. */
    public SqlStoreProvider() {}

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("jdbc", "jdbc:postgresql://db/app"));
    }

    @Override
    public String artifact() {
        return "holdfast-sql";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        Database database = Database.of(url);
        refuseUserInAddress(url);
        SqlConfig config = SqlConfig.of(url, settings);
        String driverUrl = driverUrl(url);
        String location = StoreUrl.parse(driverUrl).toString();
        DriverSource source = new DriverSource(driverUrl, database.properties(config), location);
        PooledSessions sessions = new PooledSessions(source, config, location);
        boolean ready = false;
        try {
            LockStore store = assemble(database, config, location, sessions, source::getConnection, true);
            ready = true;
            return config.readOnly() ? new ReadOnlyStore(store) : store;
        } finally {
            if (!ready) {
                sessions.close();
            }
        }
    }

    /** These drivers take what stands before the @ for a part of the host's name. */
    private static void refuseUserInAddress(StoreUrl url) {
        if (USER_IN_ADDRESS.matcher(url.rest()).find()) {
            throw new IllegalArgumentException("store URL '" + url
                    + "': this driver knows no user and password before the host; write"
                    + " jdbc:postgresql://host/database?user=…&password=… (or jdbc:mariadb:)");
        }
    }

    /** Checks the tables and puts the parts together. */
    static LockStore assemble(
            Database database,
            SqlConfig config,
            String location,
            SqlSessions sessions,
            KeptSession.Source own,
            boolean blocking) {
        long opening = Math.max(config.ioTimeout().toNanos(), 10_000_000_000L);
        String salt = sessions.call(opening, connection -> SqlSchema.prepare(connection, database, config, location));
        StoreInfo limits = StoreInfo.of(database.kind(), location)
                .withIoTimeout(config.ioTimeout())
                .withPauses(config.pauseMin(), config.pauseRandom());
        StoreInfo info = blocking ? limits.asBlocking() : limits;
        if (config.mode() != SqlMode.LEASE) {
            return sessionStore(database, config, location, sessions, own, info, salt);
        }
        KeptSession renewals = new KeptSession(own, location);
        if (!blocking) {
            // Taken while the application's pool has it: renewals must not wait for callers who use the pool up.
            renewals.call(opening, Connection::getAutoCommit);
        }
        LeaseRows rows = database.rows(config, salt);
        return rows instanceof PostgresRows postgres && config.listen()
                ? new PostgresLeaseStore(
                        info,
                        config,
                        postgres,
                        sessions,
                        renewals,
                        new PostgresListener(own, Postgres.channel(salt), location, !blocking))
                : new ServerLeaseStore(info, config, rows, sessions, renewals);
    }

    private static LockStore sessionStore(
            Database database,
            SqlConfig config,
            String location,
            SqlSessions sessions,
            KeptSession.Source own,
            StoreInfo limits,
            String salt) {
        TokenRows tokens = new TokenRows(config.qualified("_token"), salt, database instanceof Postgres);
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
        SessionLocks locks = database.sessionLocks(config, tokens);
        SessionPool pool = new SessionPool(() -> readingWhatIsCommitted(own), config, location);
        return new SessionLockStore(
                info,
                config.names(),
                locks,
                tokens,
                pool,
                sessions,
                new SessionLines(locks, pool, sessions, config),
                new MarkRows(config));
    }

    /** A holder's transaction is open for long, and a renewal in it looks for a revocation that came later. */
    private static Connection readingWhatIsCommitted(KeptSession.Source own) throws SQLException {
        Connection connection = own.open();
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

    /** The URL without our options, as it was written. */
    static String driverUrl(StoreUrl url) {
        String raw = url.raw();
        int question = raw.indexOf('?');
        if (question < 0) {
            return raw;
        }
        String rest = Arrays.stream(raw.substring(question + 1).split("&"))
                .filter(option -> !SqlConfig.isOurs(option.substring(0, Math.max(0, option.indexOf('=')))))
                .collect(Collectors.joining("&"));
        return raw.substring(0, question) + (rest.isEmpty() ? "" : "?" + rest);
    }
}
