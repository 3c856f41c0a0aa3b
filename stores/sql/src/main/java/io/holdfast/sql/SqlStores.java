package io.holdfast.sql;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.config.SqlMode;
import io.holdfast.sql.connection.BorrowedConnections;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.connection.SqlErrors;
import io.holdfast.sql.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;

/** Stores over a {@code DataSource} that the application has already. */
public final class SqlStores {
    private SqlStores() {}

    /**
     * Lease rows over a pool of the application, which is used as it is: its timeouts, its size, its user. Every verb
     * borrows a connection for one statement and returns it; two more are kept, one for renewals and, on PostgreSQL,
     * one that listens. So the pool needs at least three connections (two with {@code holdfast.listen=false}) beside
     * those that the application itself holds at a time.
     *
     * <p>A pool that cannot give so many at the same time is refused here, once: later it would be a deadlock.
     *
     * <p>Verbs run on the client's threads and never on the caller's, whose transaction they must not join; so does what
     * this method asks the database. A {@code DataSource} that gives a thread the connection of its transaction (Spring's
     * {@code TransactionAwareDataSourceProxy}) can be passed in, also inside a transaction. Connections go back to the pool
     * with the autocommit mode and the network timeout that they came with.
     *
     * @param source the pool; the caller closes it, after the client
     * @param options as after the question mark of a URL, as in {@code holdfast.autoCreate=true&holdfast.schema=app};
     *     empty for the defaults
     */
    public static LockStore over(DataSource source, String options) {
        CompletableFuture<LockStore> opened = new CompletableFuture<>();
        Thread opening = new Thread(
                () -> {
                    try {
                        opened.complete(open(source, options));
                    } catch (Throwable e) { // an outcome as well (L13)
                        opened.completeExceptionally(e);
                    }
                },
                "holdfast-open");
        opening.setDaemon(true);
        opening.start();
        try {
            return opened.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static LockStore open(DataSource source, String options) {
        try (Connection connection = source.getConnection()) {
            String url = connection.getMetaData().getURL();
            int question = url.indexOf('?');
            String base = question < 0 ? url : url.substring(0, question);
            StoreUrl described = StoreUrl.parse(options.isEmpty() ? base : base + "?" + options);
            for (String option : described.options().keySet()) {
                if (!SqlConfig.isOurs(option)) {
                    throw new IllegalArgumentException("option '" + option
                            + "' belongs into the URL of the DataSource; here are only those that begin with holdfast");
                }
            }
            Database database = Databases.of(described);
            SqlConfig config = SqlConfig.of(described, new StoreProvider.Settings("", Duration.ofSeconds(30)));
            if (config.mode() != SqlMode.LEASE) {
                throw new IllegalArgumentException("over a DataSource there are lease rows only: a session lock"
                        + " would keep a connection of the pool for each lock; give a jdbc: URL for that");
            }
            String location = StoreUrl.parse(base).toString();
            spare(source, database.keptConnections(config), location);
            Connections connections = new BorrowedConnections(source, location);
            return new StoreAssembly(database, config, location, connections, source::getConnection, true).open();
        } catch (SQLException e) {
            throw SqlErrors.whileConnecting(e, "of the given DataSource", 0);
        }
    }

    /** Beside the one that is in use: those that are kept must leave one for verbs. */
    private static void spare(DataSource source, int count, String location) {
        if (count == 0) {
            return;
        }
        try (Connection connection = source.getConnection()) {
            spare(source, count - 1, location);
            connection.clearWarnings();
        } catch (SQLException e) {
            throw new StoreUnavailableException(
                    "the application's pool for the database " + location
                            + " is too small or used up: Holdfast keeps one connection for renewals and, on PostgreSQL,"
                            + " one that listens (holdfast.listen=false to poll instead), and needs one more for"
                            + " requests",
                    false,
                    e);
        }
    }
}
