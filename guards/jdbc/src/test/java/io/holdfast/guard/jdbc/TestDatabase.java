package io.holdfast.guard.jdbc;

import io.holdfast.servers.GreetingServer;
import io.holdfast.servers.SharedDatabases;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A real database of each kind, and a fresh schema in it for every test. The servers are shared by all tests of this
 * JVM and end with it.
 */
enum TestDatabase {
    H2,
    SQLITE,
    POSTGRESQL,
    MARIADB,
    MYSQL;

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    /** A schema of its own, as long as a connection to it is open, or the folder or server lives. */
    Schema fresh(Path folder) throws SQLException {
        String name = "test" + SCHEMAS.incrementAndGet();
        return switch (this) {
            case H2 -> new Schema(this, "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
            case SQLITE -> {
                Schema schema = new Schema(this, "jdbc:sqlite:" + folder.resolve(name + ".db"));
                schema.execute("PRAGMA journal_mode = WAL"); // otherwise readers block writers
                yield schema;
            }
            case POSTGRESQL -> {
                SharedDatabases.postgres().execute("CREATE SCHEMA " + name);
                yield new Schema(this, SharedDatabases.postgres().url() + "&currentSchema=" + name);
            }
            case MARIADB, MYSQL -> {
                GreetingServer server = this == MARIADB ? SharedDatabases.mariaDb() : SharedDatabases.mySql();
                server.execute("CREATE DATABASE " + name);
                yield new Schema(this, server.url().replace("/" + GreetingServer.DATABASE + "?", "/" + name + "?"));
            }
        };
    }

    /** The statement that lets a connection wait for a row no longer than about {@code millis}. */
    String waitAtMost(int millis) {
        return switch (this) {
            case H2 -> "SET LOCK_TIMEOUT " + millis;
            case SQLITE -> "PRAGMA busy_timeout = " + millis;
            case POSTGRESQL -> "SET lock_timeout = " + millis;
            case MARIADB, MYSQL -> "SET innodb_lock_wait_timeout = " + Math.max(1, millis / 1000);
        };
    }

    /** The levels at which the database really differs. */
    List<Integer> isolationLevels() {
        return this == SQLITE
                ? List.of(Connection.TRANSACTION_SERIALIZABLE)
                : List.of(
                        Connection.TRANSACTION_READ_COMMITTED,
                        Connection.TRANSACTION_REPEATABLE_READ,
                        Connection.TRANSACTION_SERIALIZABLE);
    }

    /** Connections to one URL, each a new one. */
    static class Schema implements DataSource {
        final TestDatabase database;
        final String url;

        Schema(TestDatabase database, String url) {
            this.database = database;
            this.url = url;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return DriverManager.getConnection(url);
        }

        /** A connection in a transaction at this level. */
        Connection begin(int isolation) throws SQLException {
            Connection connection = getConnection();
            connection.setTransactionIsolation(isolation);
            connection.setAutoCommit(false);
            return connection;
        }

        /** A connection in a transaction at the database's own level. */
        Connection begin() throws SQLException {
            Connection connection = getConnection();
            connection.setAutoCommit(false);
            return connection;
        }

        void execute(String... statements) throws SQLException {
            try (Connection connection = getConnection()) {
                for (String text : statements) {
                    execute(connection, text);
                }
            }
        }

        static void execute(Connection connection, String text) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(text);
            }
        }

        long number(String query) throws SQLException {
            try (Connection connection = getConnection()) {
                return number(connection, query);
            }
        }

        static long number(Connection connection, String query) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                if (!rows.next()) {
                    throw new SQLException("no row for " + query);
                }
                return rows.getLong(1);
            }
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(@Nullable PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
