package io.holdfast.sql.connection;

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
 * Connections straight from a driver. The pool gets this instead of the URL, because with a URL it would set the login
 * timeout of the whole JVM, which belongs to the application.
 */
public final class DriverSource implements DataSource {
    private final Driver driver;
    private final String url;
    private final Properties properties;

    /**
     * For a URL that a driver on the class path accepts.
     *
     * @param location the URL for people
     */
    public DriverSource(String url, Properties properties, String location) {
        this.url = url;
        this.properties = properties;
        try {
            driver = DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException("store URL '" + location
                    + "': no JDBC driver on the class path accepts it; add the driver's jar, or correct the URL");
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = driver.connect(url, (Properties) properties.clone());
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
