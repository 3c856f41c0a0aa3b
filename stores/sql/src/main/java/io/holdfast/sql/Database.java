package io.holdfast.sql;

import io.holdfast.spi.StoreUrl;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** A kind of database server: how its driver is set up, what its tables look like, and how rows are handled in it. */
interface Database {
    /** In one word. */
    String kind();

    /** The statements that create what is missing; each can be repeated. */
    List<String> tables(SqlConfig config);

    /**
     * The rows of a store.
     *
     * @param salt of the tables (see {@link TableSettings})
     */
    LeaseRows rows(SqlConfig config, String salt);

    /**
     * How sessions hold locks, for the two modes in which they do.
     *
     * @throws IllegalArgumentException if this database cannot
     */
    SessionLocks sessionLocks(SqlConfig config, TokenRows tokens);

    /** The shortest TTL in these modes. */
    Duration shortestSessionTtl();

    /**
     * Looks whether this server can be trusted with locks at all, and warns if it can lose what it has answered.
     *
     * @throws IllegalArgumentException if it cannot
     */
    void check(Connection connection, SqlConfig config, String location) throws SQLException;

    /** Says that grants are not durable, whatever the store does; not to a user who accepted it. */
    static void warnUnflushed(SqlConfig config, String location, String setting) {
        if (config.unflushed()) {
            return;
        }
        System.getLogger(Database.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        "the database {0} has {1}: a crash of its machine can take a grant back while its holder believes in it,"
                                + " and only fencing protects then",
                        location,
                        setting);
    }

    /** The driver's properties for connections that the store opens itself. */
    Properties properties(SqlConfig config);

    /** The database of a URL. */
    static Database of(StoreUrl url) {
        String rest = url.rest();
        if (rest.startsWith("postgresql:")) {
            return new Postgres();
        }
        if (rest.startsWith("mariadb:") || rest.startsWith("mysql:")) {
            return new MariaDb(rest.startsWith("mysql:"));
        }
        if (rest.startsWith("h2:")) {
            return new H2();
        }
        throw new IllegalArgumentException("store URL '" + url + "': known are jdbc:postgresql:, jdbc:mariadb:,"
                + " jdbc:mysql: and jdbc:h2: (for a file on one machine: sqlite:)");
    }
}
