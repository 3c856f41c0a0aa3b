package io.holdfast.jdbc;

import io.holdfast.servers.GreetingServer;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.MySqlServer;
import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.StoreFixture;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One database of each kind for all suites of this JVM that do not hurt it; they end with the JVM. */
public final class Servers {
    private static final Duration SHORT = Duration.ofMillis(800);
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static @Nullable PostgresServer postgres;
    private static @Nullable MariaDbServer mariaDb;
    private static @Nullable MySqlServer mySql;

    private Servers() {}

    /** Commits are not flushed: what is tested on it ends with the server, not with the machine. */
    public static synchronized PostgresServer postgres() {
        PostgresServer server = postgres;
        if (server == null) {
            server = PostgresServer.open(PostgresOptions.defaults()
                    .withoutFsync()
                    .countingStatements()
                    .option("max_connections", "400"));
            postgres = server;
        }
        return server;
    }

    /** As durable as a database whose machine never fails. */
    public static synchronized MariaDbServer mariaDb() {
        MariaDbServer server = mariaDb;
        if (server == null) {
            server = MariaDbServer.open(Map.of("innodb-flush-log-at-trx-commit", "2", "max-connections", "400"));
            mariaDb = server;
        }
        return server;
    }

    /** As durable as that one. */
    public static synchronized MySqlServer mySql() {
        MySqlServer server = mySql;
        if (server == null) {
            server = MySqlServer.open(Map.of("innodb-flush-log-at-trx-commit", "2", "max-connections", "400"));
            mySql = server;
        }
        return server;
    }

    /** A name for a table that no other test has. */
    static String table() {
        return "locks_" + TABLES.incrementAndGet();
    }

    static StoreFixture onPostgres(String options) {
        // Where sessions hold locks, a second request needs a second connection, which on a busy machine takes a while.
        Duration shortTtl = options.isEmpty() ? SHORT : Duration.ofMillis(1500);
        Class<? extends LockStore> kind = options.isEmpty() ? PostgresLeaseStore.class : SessionLockStore.class;
        return new SqlFixture(postgres().url() + options, table(), kind, postgres()::execute, shortTtl);
    }

    static StoreFixture onMariaDb(String options) {
        return on(mariaDb(), options);
    }

    static StoreFixture onMySql(String options) {
        return on(mySql(), options);
    }

    private static StoreFixture on(GreetingServer server, String options) {
        // In the modes where sessions hold locks, the server counts whole seconds.
        Duration shortTtl = options.isEmpty() ? SHORT : Duration.ofSeconds(2);
        Class<? extends LockStore> kind = options.isEmpty() ? ServerLeaseStore.class : SessionLockStore.class;
        return new SqlFixture(server.url() + options, table(), kind, server::execute, shortTtl);
    }

    /** H2 inside this process. */
    static StoreFixture onH2() {
        String url = "jdbc:h2:mem:locks;DB_CLOSE_DELAY=-1";
        return new SqlFixture(
                url,
                table(),
                ServerLeaseStore.class,
                sql -> {
                    try (Connection connection = DriverManager.getConnection(url);
                            Statement statement = connection.createStatement()) {
                        statement.execute(sql);
                    }
                },
                SHORT);
    }
}
