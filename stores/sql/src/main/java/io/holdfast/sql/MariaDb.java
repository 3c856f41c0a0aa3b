package io.holdfast.sql;

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

/** MariaDB and MySQL, which differ in nothing that lease rows need. */
final class MariaDb implements Database {
    /**
     * UTC whatever the session's time zone, and without the hour that a local clock has twice a year. It is the time at
     * which the statement began.
     */
    static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";

    /** A setting of the whole server: no statement can ask for its own flush. */
    private static final String FLUSH = "innodb_flush_log_at_trx_commit";

    private static final Pattern VERSION = Pattern.compile("^([0-9]{1,4})\\.([0-9]{1,4})");

    private final boolean mysqlDriver;

    MariaDb(boolean mysqlDriver) {
        this.mysqlDriver = mysqlDriver;
    }

    @Override
    public String kind() {
        return mysqlDriver ? "mysql" : "mariadb";
    }

    /** Names are bytes: every collation of text would take some names for each other, be it for their last blank. */
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
                        + "  client varchar(400) CHARACTER SET utf8mb4 NOT NULL,\n"
                        + "  label varchar(400) CHARACTER SET utf8mb4 NOT NULL,\n"
                        + "  extra mediumblob,\n"
                        + "  extra_end bigint NOT NULL,\n"
                        + "  waited bigint NOT NULL\n"
                        + ") ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_token") + " (\n"
                        + "  name varbinary(2200) NOT NULL PRIMARY KEY,\n"
                        + "  lock_key bigint NOT NULL UNIQUE,\n"
                        + "  holder varbinary(20),\n"
                        + "  client varchar(400) CHARACTER SET utf8mb4 NOT NULL,\n"
                        + "  label varchar(400) CHARACTER SET utf8mb4 NOT NULL,\n"
                        + "  last_token bigint NOT NULL,\n"
                        + "  span integer NOT NULL,\n"
                        + "  ttl bigint NOT NULL,\n"
                        + "  revoked smallint NOT NULL,\n"
                        + "  session_id bigint NOT NULL\n"
                        + ") ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_row")
                        + " (name varbinary(2200) NOT NULL PRIMARY KEY) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_note") + " (\n"
                        + "  name varbinary(2200) NOT NULL,\n"
                        + "  client varbinary(16) NOT NULL,\n"
                        + "  noted_until bigint NOT NULL,\n"
                        + "  pause bigint NOT NULL,\n"
                        + "  PRIMARY KEY (name, client)\n"
                        + ") ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_setting")
                        + " (setting varchar(40) NOT NULL PRIMARY KEY,"
                        + " content varchar(100) NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
                "CREATE TABLE IF NOT EXISTS " + config.qualified("_schema")
                        + " (version integer NOT NULL PRIMARY KEY) ENGINE = InnoDB",
                "INSERT IGNORE INTO " + config.qualified("_schema") + " (version) VALUES (" + SqlSchema.VERSION + ")");
    }

    @Override
    public LeaseRows rows(SqlConfig config, String salt) {
        return new MariaDbRows(config.qualified(""));
    }

    @Override
    public SessionLocks sessionLocks(SqlConfig config, TokenRows tokens) {
        return new MariaDbLocks(tokens, config.mode() == SqlMode.ROWLOCK ? config.qualified("_row") : null);
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
    static boolean isTooOld(String version) {
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
