package io.holdfast.sql.database;

import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.rows.LeaseRowStore;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.sql.session.SessionLocks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** A kind of database: how its driver is set up, what its tables look like, and how locks are kept in it. */
public interface Database {
    /** The version of the tables. */
    int SCHEMA_VERSION = 2;

    /** In one word. */
    String kind();

    /** The driver's properties for connections that the store opens itself. */
    Properties properties(SqlConfig config);

    /** The statements that create missing tables; each can be repeated. */
    List<String> tables(SqlConfig config);

    /**
     * Checks whether this server can be trusted with locks, and warns if it can lose what it has answered.
     *
     * @throws IllegalArgumentException if it cannot be trusted
     */
    void check(Connection connection, SqlConfig config, String location) throws SQLException;

    /** Warns that grants are not durable, whatever the store does; not if the user accepted that. */
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

    /**
     * The rows of a store.
     *
     * @param salt of the tables (see {@link io.holdfast.sql.config.TableSettings})
     */
    LeaseRows rows(SqlConfig config, String salt);

    /**
     * A store of lease rows.
     *
     * @param salt of the tables
     */
    default LeaseRowStore leaseStore(LeaseRowStore.Parts parts, String salt) {
        return new LeaseRowStore(parts, rows(parts.config(), salt));
    }

    /** How many connections a store of lease rows keeps, beside the one of each request. */
    default int keptConnections(SqlConfig config) {
        return 1;
    }

    /**
     * The locks of connections, for the two modes in which they hold locks.
     *
     * @param salt of the tables
     * @param connections for what must be committed apart from the lock
     * @throws IllegalArgumentException if this database has none
     */
    SessionLocks sessionLocks(SqlConfig config, String salt, Connections connections);

    /** The shortest TTL in these modes. */
    Duration shortestSessionTtl();
}
