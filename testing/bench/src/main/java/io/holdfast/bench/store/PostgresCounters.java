package io.holdfast.bench.store;

import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** What a PostgreSQL server says about its own load. */
public final class PostgresCounters {
    public static final String STATEMENTS = "statements";

    private PostgresCounters() {}

    /** A server that counts. */
    public static PostgresServer open() {
        PostgresServer server = PostgresServer.open(
                PostgresOptions.defaults().countingStatements().option("max_connections", "200"));
        try {
            server.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
            return server;
        } catch (SQLException e) {
            server.close();
            throw new IllegalStateException(e);
        }
    }

    /** Where a store finds it; it creates its tables. */
    public static String url(PostgresServer server) {
        return server.url() + "&holdfast.autoCreate=true";
    }

    /** The statements of all clients, without this query. */
    public static Map<String, Double> counters(PostgresServer server) {
        String question =
                "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'";
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            row.next();
            return Map.of(STATEMENTS, row.getDouble(1));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
