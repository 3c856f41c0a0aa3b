package io.holdfast.jdbc;

import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import org.jspecify.annotations.Nullable;

/** One PostgreSQL for all suites of this JVM that do not hurt it; it ends with the JVM. */
final class PostgresServers {
    private static @Nullable PostgresServer shared;

    private PostgresServers() {}

    static synchronized PostgresServer shared() {
        PostgresServer server = shared;
        if (server == null) {
            server = PostgresServer.open(
                    PostgresOptions.defaults().withoutFsync().countingStatements());
            shared = server;
        }
        return server;
    }
}
