package io.holdfast.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections straight from a driver. The pool gets this instead of the URL because it would otherwise set the login
 * timeout of the whole JVM, which belongs to the application.
 */
final class DriverSource implements DataSource {
    private final Driver driver;
    private final String url;
    private final Properties properties;

    /**
     * For a URL that a driver on the class path accepts.
     *
     * @param location the URL for people
     */
    DriverSource(String url, Properties properties, String location) {
        this.url = url;
        this.properties = properties;
        try {
            driver = DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException("store URL '" + location
                    + "': no JDBC driver on the class path accepts it; add the driver's jar, or correct the URL");
        }
    }

    /**
     * A connection that listens for notifications of PostgreSQL; one with {@link PromptSockets}, unless the URL has
     * sockets of its own or the driver was loaded by somebody who does not know that class.
     */
    Ear listening() throws SQLException {
        String socket = PromptSockets.freshName();
        Properties more = with(PromptSockets.class);
        if (!url.contains("socketFactory")) {
            more.setProperty("socketFactoryArg", socket);
        }
        WakeableSocket known;
        Connection connection;
        try {
            connection = connection(more);
        } finally {
            known = PromptSockets.take(socket);
        }
        return Ear.of(connection, known);
    }

    /** On PostgreSQL one with {@link AttentiveSockets}, with the same exceptions. */
    @Override
    public Connection getConnection() throws SQLException {
        return connection(
                url.startsWith("jdbc:postgresql:") ? with(AttentiveSockets.class) : (Properties) properties.clone());
    }

    private Properties with(Class<? extends OwnSockets> sockets) {
        Properties more = (Properties) properties.clone();
        if (DriverLoader.sees(driver, sockets)) {
            more.setProperty("socketFactory", sockets.getName());
        }
        return more;
    }

    private Connection connection(Properties with) throws SQLException {
        Connection connection = driver.connect(url, with);
        if (connection == null) {
            throw new SQLException("the driver does not accept its URL", "08001");
        }
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the URL names the user");
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
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("nothing is wrapped");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
