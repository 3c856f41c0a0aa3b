package io.holdfast.sql;

import io.holdfast.guard.jdbc.FenceTable;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.config.SqlMode;
import io.holdfast.sql.config.TableSettings;
import io.holdfast.sql.connection.SqlErrors;
import io.holdfast.sql.database.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The tables of a store on a database server: as a script for teams that run migrations, created, or checked. */
public final class SqlSchema {
    private static final int TRIES = 5;

    private SqlSchema() {}

    /**
     * The script that creates the tables for a store URL, ready to be a file of Flyway or Liquibase. Needs no
     * connection.
     *
     * @throws IllegalArgumentException if the URL is not one of a database server that Holdfast knows
     */
    public static String script(String storeUrl) {
        StoreUrl url = StoreUrl.parse(storeUrl);
        SqlConfig config = SqlConfig.of(url, new StoreProvider.Settings("", Duration.ofSeconds(30)));
        Database database = Databases.of(url);
        return "-- Tables of Holdfast, schema version " + Database.SCHEMA_VERSION + ", " + database.kind() + ".\n"
                + String.join(";\n", database.tables(config)) + ";\n-- Marks of guarded resources.\n"
                + FenceTable.named(config.fenceTable()).ddl("jdbc:" + url.rest()) + ";\n";
    }

    /**
     * Checks the server, creates the tables that are missing if that is asked for, also those of a newer version, and
     * checks their version and mode. Answers the salt of the keys (see {@link TableSettings}).
     */
    static String prepare(Connection connection, Database database, SqlConfig config, String location)
            throws SQLException {
        database.check(connection, config, location);
        Integer version = version(connection, config);
        if ((version == null || version < Database.SCHEMA_VERSION) && config.autoCreate() && !config.readOnly()) {
            create(connection, database, config);
            version = version(connection, config);
        }
        if (version == null) {
            throw new IllegalArgumentException(
                    "the database " + location + " has no table " + config.qualified("")
                            + ": run the script that `holdfast schema` prints, or open the store with holdfast.autoCreate=true");
        }
        if (version != Database.SCHEMA_VERSION) {
            throw new IllegalArgumentException(
                    "the tables " + config.qualified("") + " in the database " + location
                            + " have schema version " + version + ", this Holdfast knows " + Database.SCHEMA_VERSION
                            + ": "
                            + (version > Database.SCHEMA_VERSION
                                    ? "upgrade Holdfast here"
                                    : "run the script that `holdfast schema` prints, or open the store with holdfast.autoCreate=true"));
        }
        if (config.mode() == SqlMode.LEASE) {
            // Every release reads this table: a right that is missing shows now, and not when a lock is released.
            try (Statement statement = connection.createStatement()) {
                statement
                        .executeQuery("SELECT 1 FROM " + config.qualified("_note") + " WHERE 1 = 0")
                        .close();
            }
        }
        TableSettings settings = new TableSettings(config);
        settings.agree(connection, location);
        return settings.salt(connection);
    }

    private static void create(Connection connection, Database database, SqlConfig config) throws SQLException {
        for (int tries = 1; ; tries++) {
            try (Statement statement = connection.createStatement()) {
                for (String text : database.tables(config)) {
                    statement.execute(text);
                }
                FenceTable.named(config.fenceTable()).create(connection);
                return;
            } catch (SQLException e) {
                // IF NOT EXISTS does not help two clients that create at the same moment.
                if (tries == TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(Duration.ofMillis(20L * tries).toNanos());
            }
        }
    }

    private static @Nullable Integer version(Connection connection, SqlConfig config) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT max(version) FROM " + config.qualified("_schema"))) {
            row.next();
            int version = row.getInt(1);
            return row.wasNull() ? null : version;
        } catch (SQLException e) {
            if (SqlErrors.isNoTable(e)) {
                return null;
            }
            throw e;
        }
    }
}
