package io.holdfast.sql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Finds the class loader of a driver, which in a container is another one than that of this class. */
public final class DriverLoader {
    private DriverLoader() {}

    /** Of the driver behind a connection, be it wrapped by a pool. */
    public static @Nullable ClassLoader of(Connection connection) throws SQLException {
        Connection own = connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
        return own.getMetaData().getClass().getClassLoader();
    }
}
