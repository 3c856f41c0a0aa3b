package io.holdfast.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** PostgreSQL. */
final class Postgres implements Database {
    @Override
    public String kind() {
        return "postgresql";
    }

    /**
     * Names are compared as bytes ({@code COLLATE "C"}). No column that changes is indexed and pages are left half
     * empty, so that updates stay within their page (HOT) and the dead versions go without a vacuum.
     */
    @Override
    public List<String> tables(SqlConfig config) {
        return List.of(
                "CREATE TABLE IF NOT EXISTS " + config.qualified("") + " (\n"
                        + "  name text COLLATE \"C\" NOT NULL PRIMARY KEY,\n"
                        + "  stamp bigint NOT NULL,\n"
                        + "  last_token bigint NOT NULL,\n"
                        + "  holder bytea,\n"
                        + "  state smallint NOT NULL,\n"
                        + "  lease_end bigint NOT NULL,\n"
                        + "  closed_end bigint NOT NULL,\n"
                        + "  token bigint NOT NULL,\n"
                        + "  span integer NOT NULL,\n"
                        + "  ttl bigint NOT NULL,\n"
                        + "  client text NOT NULL,\n"
                        + "  label text NOT NULL,\n"
                        + "  extra bytea,\n"
                        + "  extra_end bigint NOT NULL,\n"
                        + "  waited bigint NOT NULL\n"
                        + ") WITH (fillfactor = 50)",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_token") + " (\n"
                        + "  name text COLLATE \"C\" NOT NULL PRIMARY KEY,\n"
                        + "  lock_key bigint NOT NULL UNIQUE,\n"
                        + "  holder bytea,\n"
                        + "  client text NOT NULL,\n"
                        + "  label text NOT NULL,\n"
                        + "  last_token bigint NOT NULL,\n"
                        + "  span integer NOT NULL,\n"
                        + "  ttl bigint NOT NULL,\n"
                        + "  revoked smallint NOT NULL,\n"
                        + "  session_id bigint NOT NULL\n"
                        + ") WITH (fillfactor = 50)",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_row")
                        + " (name text COLLATE \"C\" NOT NULL PRIMARY KEY)",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_note") + " (\n"
                        + "  name text COLLATE \"C\" NOT NULL,\n"
                        + "  client bytea NOT NULL,\n"
                        + "  noted_until bigint NOT NULL,\n"
                        + "  pause bigint NOT NULL,\n"
                        + "  PRIMARY KEY (name, client)\n"
                        + ") WITH (fillfactor = 50)",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_setting") + " (setting text NOT NULL PRIMARY KEY,"
                        + " content text NOT NULL)",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_schema") + " (version integer NOT NULL PRIMARY KEY)",
                "INSERT INTO " + config.qualified("_schema") + " (version) VALUES (" + SqlSchema.VERSION
                        + ") ON CONFLICT DO NOTHING");
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
    public SessionLocks sessionLocks(SqlConfig config, TokenRows tokens) {
        return config.mode() == SqlMode.ROWLOCK
                ? new PostgresRowLock(tokens, config.qualified("_row"))
                : new PostgresAdvisory(tokens);
    }

    @Override
    public Duration shortestSessionTtl() {
        return Duration.ofMillis(100);
    }

    /** Where waiters of these tables listen, however a client spells the tables' name (U30). */
    static String channel(String salt) {
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
