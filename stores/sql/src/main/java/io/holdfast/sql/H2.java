package io.holdfast.sql;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** H2, as a server or inside one process. */
final class H2 implements Database {
    static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";

    @Override
    public String kind() {
        return "h2";
    }

    /** Names are bytes, so that they are ordered as bytes. */
    @Override
    public List<String> tables(SqlConfig config) {
        return List.of(
                "CREATE TABLE IF NOT EXISTS " + config.qualified("") + " (\n"
                        + "  name varbinary(2200) NOT NULL PRIMARY KEY,\n"
                        + "  stamp bigint NOT NULL,\n"
                        + "  last_token bigint NOT NULL,\n"
                        + "  holder varbinary(20),\n"
                        + "  state smallint NOT NULL,\n"
                        + "  lease_end bigint NOT NULL,\n"
                        + "  closed_end bigint NOT NULL,\n"
                        + "  token bigint NOT NULL,\n"
                        + "  span integer NOT NULL,\n"
                        + "  ttl bigint NOT NULL,\n"
                        + "  client varchar(400) NOT NULL,\n"
                        + "  label varchar(400) NOT NULL,\n"
                        + "  extra varbinary(1000000),\n"
                        + "  extra_end bigint NOT NULL,\n"
                        + "  waited bigint NOT NULL\n"
                        + ")",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_note") + " (\n"
                        + "  name varbinary(2200) NOT NULL,\n"
                        + "  client varbinary(16) NOT NULL,\n"
                        + "  noted_until bigint NOT NULL,\n"
                        + "  pause bigint NOT NULL,\n"
                        + "  PRIMARY KEY (name, client)\n"
                        + ")",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_setting")
                        + " (setting varchar(40) NOT NULL PRIMARY KEY," + " content varchar(100) NOT NULL)",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_schema") + " (version integer NOT NULL PRIMARY KEY)",
                "MERGE INTO " + config.qualified("_schema") + " (version) KEY (version) VALUES (" + SqlSchema.VERSION
                        + ")");
    }

    /** Nothing is asked: it is meant for tests and for one process. */
    @Override
    public void check(Connection connection, SqlConfig config, String location) {}

    @Override
    public LeaseRows rows(SqlConfig config, String salt) {
        return new LeaseRows(config.qualified(""), NOW);
    }

    @Override
    public SessionLocks sessionLocks(SqlConfig config, TokenRows tokens) {
        throw new IllegalArgumentException("H2 offers lease rows only: leave the option holdfast out");
    }

    @Override
    public Duration shortestSessionTtl() {
        return Duration.ofMillis(100);
    }

    /** Its driver has none of the timeouts; inside one process there is nothing to time out. */
    @Override
    public Properties properties(SqlConfig config) {
        return new Properties();
    }
}
