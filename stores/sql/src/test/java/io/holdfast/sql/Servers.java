package io.holdfast.sql;

import io.holdfast.servers.GreetingServer;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.MySqlServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.SharedDatabases;
import io.holdfast.spi.LockStore;
import io.holdfast.sql.postgres.PostgresLeaseStore;
import io.holdfast.sql.rows.LeaseRowStore;
import io.holdfast.sql.session.SessionLockStore;
import io.holdfast.tck.StoreFixture;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Stores with tables of their own on the {@link SharedDatabases}. */
public final class Servers {
    private static final Duration SHORT = Duration.ofMillis(800);
    private static final AtomicInteger TABLES = new AtomicInteger();

    private Servers() {}

    public static PostgresServer postgres() {
        return SharedDatabases.postgres();
    }

    public static MariaDbServer mariaDb() {
        return SharedDatabases.mariaDb();
    }

    public static MySqlServer mySql() {
        return SharedDatabases.mySql();
    }

    /** A name for a table that no other test has. */
    public static String table() {
        return "locks_" + TABLES.incrementAndGet();
    }

    public static StoreFixture onPostgres(String options) {
        // Where sessions hold locks, a second request needs a second connection, which on a busy machine takes a while.
        Duration shortTtl = options.isEmpty() ? SHORT : Duration.ofMillis(1500);
        Class<? extends LockStore> kind = options.isEmpty() ? PostgresLeaseStore.class : SessionLockStore.class;
        return new SqlFixture(postgres().url() + options, table(), kind, postgres()::execute, shortTtl);
    }

    public static StoreFixture onMariaDb(String options) {
        return on(mariaDb(), options);
    }

    public static StoreFixture onMySql(String options) {
        return on(mySql(), options);
    }

    private static StoreFixture on(GreetingServer server, String options) {
        // In the modes where sessions hold locks, the server counts whole seconds.
        Duration shortTtl = options.isEmpty() ? SHORT : Duration.ofSeconds(2);
        Class<? extends LockStore> kind = options.isEmpty() ? LeaseRowStore.class : SessionLockStore.class;
        return new SqlFixture(server.url() + options, table(), kind, server::execute, shortTtl);
    }

    /** H2 inside this process. */
    public static StoreFixture onH2() {
        String url = "jdbc:h2:mem:locks;DB_CLOSE_DELAY=-1";
        return new SqlFixture(
                url,
                table(),
                LeaseRowStore.class,
                sql -> {
                    try (Connection connection = DriverManager.getConnection(url);
                            Statement statement = connection.createStatement()) {
                        statement.execute(sql);
                    }
                },
                SHORT);
    }
}
