package io.holdfast.sql.mariadb;

import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.config.SqlMode;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.database.Database;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.sql.session.SessionLocks;
import io.holdfast.sql.session.TokenRows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** MariaDB and MySQL, which differ in nothing that lease rows need. */
public final class MariaDb implements Database {
    /**
     * UTC whatever the connection's time zone, and without the hour that a local clock has twice a year. It is the time at
     * which the statement began.
     */
    static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";

    /** A setting of the whole server: no statement can ask for its own flush. */
    private static final String FLUSH = "innodb_flush_log_at_trx_commit";

    private static final Pattern VERSION = Pattern.compile("^([0-9]{1,4})\\.([0-9]{1,4})");

    private final boolean mysqlDriver;

    public MariaDb(boolean mysqlDriver) {
        this.mysqlDriver = mysqlDriver;
    }

    @Override
    public String kind() {
        return mysqlDriver ? "mysql" : "mariadb";
    }

    /** Names are bytes: every collation of text takes some names for each other, also by their trailing blanks. */
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
                          client varchar(400) CHARACTER SET utf8mb4 NOT NULL,
                          label varchar(400) CHARACTER SET utf8mb4 NOT NULL,
                          extra mediumblob,
                          extra_end bigint NOT NULL,
                          waited bigint NOT NULL
                        ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC""",
                        """
                        CREATE TABLE IF NOT EXISTS {table}_token (
                          name varbinary(2200) NOT NULL PRIMARY KEY,
                          lock_key bigint NOT NULL UNIQUE,
                          holder varbinary(20),
                          client varchar(400) CHARACTER SET utf8mb4 NOT NULL,
                          label varchar(400) CHARACTER SET utf8mb4 NOT NULL,
                          last_token bigint NOT NULL,
                          span integer NOT NULL,
                          ttl bigint NOT NULL,
                          revoked smallint NOT NULL,
                          session_id bigint NOT NULL
                        ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC""",
                        "CREATE TABLE IF NOT EXISTS {table}_row"
                                + " (name varbinary(2200) NOT NULL PRIMARY KEY) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                        """
                        CREATE TABLE IF NOT EXISTS {table}_note (
                          name varbinary(2200) NOT NULL,
                          client varbinary(16) NOT NULL,
                          noted_until bigint NOT NULL,
                          pause bigint NOT NULL,
                          PRIMARY KEY (name, client)
                        ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC""",
                        "CREATE TABLE IF NOT EXISTS {table}_setting (setting varchar(40) NOT NULL PRIMARY KEY,"
                                + " content varchar(100) NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                        "CREATE TABLE IF NOT EXISTS {table}_schema"
                                + " (version integer NOT NULL PRIMARY KEY) ENGINE = InnoDB",
                        "INSERT IGNORE INTO {table}_schema (version) VALUES (" + SCHEMA_VERSION + ")")
                .map(config::named)
                .toList();
    }

    @Override
    public LeaseRows rows(SqlConfig config, String salt) {
        return new MariaDbRows(config.qualified(""));
    }

    @Override
    public SessionLocks sessionLocks(SqlConfig config, String salt, Connections connections) {
        TokenRows tokens = new MariaDbTokenRows(config.qualified("_token"), salt);
        return config.mode() == SqlMode.ROWLOCK
                ? new MariaDbRowLocks(tokens, connections, config.qualified("_row"))
                : new MariaDbNamedLocks(tokens);
    }

    /** {@code wait_timeout} counts whole seconds. */
    @Override
    public Duration shortestSessionTtl() {
        return Duration.ofSeconds(1);
    }

    /**
     * In a Galera cluster every node grants by its own rows and its own locks: row locks and {@code GET_LOCK} are not known to
     * the others at all (U22), rows are compared when it commits.
     */
    @Override
    public void check(Connection connection, SqlConfig config, String location) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SHOW GLOBAL VARIABLES WHERE variable_name IN ('version', 'wsrep_on', 'wsrep_provider', '"
                                + FLUSH + "')")) {
            while (rows.next()) {
                settings.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
            }
        }
        if ("ON".equals(settings.get("wsrep_on")) && !"none".equals(settings.get("wsrep_provider"))) {
            throw new IllegalArgumentException(
                    "the database " + location + " is a node of a Galera cluster, whose nodes would"
                            + " grant the same lock to two holders: use a single primary, or another store");
        }
        String version = settings.getOrDefault("version", "");
        if (isTooOld(version)) {
            throw new IllegalArgumentException("the database " + location + " has version " + version
                    + ", which cannot leave out locked rows (SKIP LOCKED): MariaDB 10.6 or MySQL 8.0 is the oldest");
        }
        String flush = settings.getOrDefault(FLUSH, "1");
        if (!flush.equals("1")) {
            Database.warnUnflushed(config, location, FLUSH + " = " + flush);
        }
    }

    /** A version that is not understood is not refused. */
    public static boolean isTooOld(String version) {
        Matcher numbers = VERSION.matcher(version);
        if (!numbers.find()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        int minor = Integer.parseInt(numbers.group(2));
        return version.toLowerCase(Locale.ROOT).contains("mariadb")
                ? major < 10 || (major == 10 && minor < 6)
                : major < 8;
    }

    @Override
    public Properties properties(SqlConfig config) {
        Properties properties = new Properties();
        properties.setProperty(
                "connectTimeout", Long.toString(config.connectTimeout().toMillis()));
        properties.setProperty("socketTimeout", Long.toString(config.ioTimeout().toMillis()));
        properties.setProperty("tcpKeepAlive", "true");
        // The server gives up before we do, so that the outcome is known.
        properties.setProperty("sessionVariables", "innodb_lock_wait_timeout=1");
        return properties;
    }
}
