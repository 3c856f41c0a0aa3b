package io.holdfast.sql.postgres;

import io.holdfast.spi.StoreInfo;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.config.SqlMode;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.database.Database;
import io.holdfast.sql.rows.LeaseRowStore;
import io.holdfast.sql.session.SessionLocks;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** PostgreSQL. */
public final class Postgres implements Database {
    @Override
    public String kind() {
        return "postgresql";
    }

    /**
     * Names are compared as bytes ({@code COLLATE "C"}). No column that changes is indexed and pages are left half
     * empty, so that updates stay within their page (HOT) and dead versions are removed without a vacuum.
     */
    @Override
    public List<String> tables(SqlConfig config) {
        return Stream.of(
                        """
                        CREATE TABLE IF NOT EXISTS {table} (
                          name text COLLATE "C" NOT NULL PRIMARY KEY,
                          stamp bigint NOT NULL,
                          last_token bigint NOT NULL,
                          holder bytea,
                          state smallint NOT NULL,
                          lease_end bigint NOT NULL,
                          closed_end bigint NOT NULL,
                          token bigint NOT NULL,
                          span integer NOT NULL,
                          ttl bigint NOT NULL,
                          client text NOT NULL,
                          label text NOT NULL,
                          extra bytea,
                          extra_end bigint NOT NULL,
                          waited bigint NOT NULL
                        ) WITH (fillfactor = 50)""",
                        """
                        CREATE TABLE IF NOT EXISTS {table}_token (
                          name text COLLATE "C" NOT NULL PRIMARY KEY,
                          lock_key bigint NOT NULL UNIQUE,
                          holder bytea,
                          client text NOT NULL,
                          label text NOT NULL,
                          last_token bigint NOT NULL,
                          span integer NOT NULL,
                          ttl bigint NOT NULL,
                          revoked smallint NOT NULL,
                          session_id bigint NOT NULL
                        ) WITH (fillfactor = 50)""",
                        "CREATE TABLE IF NOT EXISTS {table}_row (name text COLLATE \"C\" NOT NULL PRIMARY KEY)",
                        """
                        CREATE TABLE IF NOT EXISTS {table}_note (
                          name text COLLATE "C" NOT NULL,
                          client bytea NOT NULL,
                          noted_until bigint NOT NULL,
                          pause bigint NOT NULL,
                          PRIMARY KEY (name, client)
                        ) WITH (fillfactor = 50)""",
                        "CREATE TABLE IF NOT EXISTS {table}_setting (setting text NOT NULL PRIMARY KEY,"
                                + " content text NOT NULL)",
                        "CREATE TABLE IF NOT EXISTS {table}_schema (version integer NOT NULL PRIMARY KEY)",
                        "INSERT INTO {table}_schema (version) VALUES (" + SCHEMA_VERSION + ") ON CONFLICT DO NOTHING")
                .map(config::named)
                .toList();
    }

    /** {@code synchronous_commit} does not matter: what grants asks for its flush itself (U23). */
    @Override
    public void check(Connection connection, SqlConfig config, String location) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('fsync')")) {
            if (row.next() && "off".equals(row.getString(1))) {
                Database.warnUnflushed(config, location, "fsync = off");
            }
        }
    }

    @Override
    public PostgresRows rows(SqlConfig config, String salt) {
        return new PostgresRows(config.qualified(""), channel(salt));
    }

    @Override
    public LeaseRowStore leaseStore(LeaseRowStore.Parts parts, String salt) {
        if (!parts.config().listen()) {
            return Database.super.leaseStore(parts, salt);
        }
        StoreInfo info = parts.info();
        return new PostgresLeaseStore(
                parts,
                rows(parts.config(), salt),
                new PostgresListener(parts.source(), channel(salt), info.location(), !info.blocking()));
    }

    /** One for renewals, and one that listens. */
    @Override
    public int keptConnections(SqlConfig config) {
        return config.listen() ? 2 : 1;
    }

    @Override
    public SessionLocks sessionLocks(SqlConfig config, String salt, Connections connections) {
        TokenRows tokens = new PostgresTokenRows(config.qualified("_token"), salt);
        return config.mode() == SqlMode.ROWLOCK
                ? new PostgresRowLocks(tokens, connections, config.qualified("_row"))
                : new PostgresAdvisoryLocks(tokens);
    }

    @Override
    public Duration shortestSessionTtl() {
        return Duration.ofMillis(100);
    }

    /** Where waiting clients of these tables listen, however a client spells the tables' name (U30). */
    private static String channel(String salt) {
        return "holdfast:" + salt;
    }

    @Override
    public Properties properties(SqlConfig config) {
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", seconds(config.connectTimeout()));
        // Else the driver takes the one of the whole JVM; the two others bound the login as well.
        properties.setProperty(
                "loginTimeout",
                seconds(config.connectTimeout().plus(config.ioTimeout().multipliedBy(4))));
        properties.setProperty("socketTimeout", seconds(config.ioTimeout()));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "holdfast");
        // The server gives up before we do, so that the outcome is known.
        properties.setProperty(
                "options",
                "-c statement_timeout=" + Math.max(1, config.ioTimeout().toMillis() * 9 / 10));
        return properties;
    }

    private static String seconds(Duration time) {
        return Long.toString(Math.max(1, (time.toMillis() + 999) / 1000));
    }
}
