package io.holdfast.sql.h2;

import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.database.Database;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.sql.session.SessionLocks;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** H2, as a server or inside one process. */
public final class H2 implements Database {
    @Override
    public String kind() {
        return "h2";
    }

    /** Names are bytes, so that they are ordered as bytes. */
    @Override
    public List<String> tables(SqlConfig config) {
        return Stream.of(
                        """
                        CREATE TABLE IF NOT EXISTS {table} (
                          name varbinary(2200) NOT NULL PRIMARY KEY,
                          stamp bigint NOT NULL,
                          last_token bigint NOT NULL,
                          holder varbinary(20),
                          state smallint NOT NULL,
                          lease_end bigint NOT NULL,
                          closed_end bigint NOT NULL,
                          token bigint NOT NULL,
                          span integer NOT NULL,
                          ttl bigint NOT NULL,
                          client varchar(400) NOT NULL,
                          label varchar(400) NOT NULL,
                          extra varbinary(1000000),
                          extra_end bigint NOT NULL,
                          waited bigint NOT NULL
                        )""",
                        """
                        CREATE TABLE IF NOT EXISTS {table}_note (
                          name varbinary(2200) NOT NULL,
                          client varbinary(16) NOT NULL,
                          noted_until bigint NOT NULL,
                          pause bigint NOT NULL,
                          PRIMARY KEY (name, client)
                        )""",
                        "CREATE TABLE IF NOT EXISTS {table}_setting (setting varchar(40) NOT NULL PRIMARY KEY,"
                                + " content varchar(100) NOT NULL)",
                        "CREATE TABLE IF NOT EXISTS {table}_schema (version integer NOT NULL PRIMARY KEY)",
                        "MERGE INTO {table}_schema (version) KEY (version) VALUES (" + SCHEMA_VERSION + ")")
                .map(config::named)
                .toList();
    }

    /** Checks nothing: H2 is meant for tests and for one process. */
    @Override
    public void check(Connection connection, SqlConfig config, String location) {}

    @Override
    public LeaseRows rows(SqlConfig config, String salt) {
        return new H2Rows(config.qualified(""));
    }

    @Override
    public SessionLocks sessionLocks(SqlConfig config, String salt, Connections connections) {
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
