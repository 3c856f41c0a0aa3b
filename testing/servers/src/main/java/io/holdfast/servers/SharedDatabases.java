package io.holdfast.servers;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One database of each kind for all tests of this JVM that do not harm it. They end with the JVM. Thread-safe. */
public final class SharedDatabases {
    private static @Nullable PostgresServer postgres;
    private static @Nullable MariaDbServer mariaDb;
    private static @Nullable MySqlServer mySql;

    private SharedDatabases() {}

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

    /** As durable as MariaDB here. */
    public static synchronized MySqlServer mySql() {
        MySqlServer server = mySql;
        if (server == null) {
            server = MySqlServer.open(Map.of("innodb-flush-log-at-trx-commit", "2", "max-connections", "400"));
            mySql = server;
        }
        return server;
    }
}
