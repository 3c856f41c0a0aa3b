package io.holdfast.sql.postgres;

import io.holdfast.sql.connection.DriverLoader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The notifications that PostgreSQL's driver received on a connection. JDBC has no method for them, and the driver is the
 * user's to bring, so its two methods are found by name.
 */
final class PostgresNotifications {
    private final Object connection;
    private final Method getNotifications;
    private @Nullable Method getParameter;

    private PostgresNotifications(Object connection, Method getNotifications) {
        this.connection = connection;
        this.getNotifications = getNotifications;
    }

    /** Of a connection of PostgreSQL's own driver, be it wrapped. */
    static PostgresNotifications of(Connection connection) throws SQLException {
        try {
            ClassLoader loader = DriverLoader.of(connection);
            Class<?> type = Class.forName("org.postgresql.PGConnection", true, loader);
            return new PostgresNotifications(connection.unwrap(type), type.getMethod("getNotifications", int.class));
        } catch (ReflectiveOperationException e) {
            throw new SQLException("notifications need PostgreSQL's own JDBC driver", e);
        }
    }

    /** Waits for the next ones at most so long; their payloads. */
    List<String> await(int millis) throws SQLException {
        try {
            Object[] received = (Object[]) getNotifications.invoke(connection, millis);
            List<String> payloads = new ArrayList<>();
            for (Object notification : received == null ? new Object[0] : received) {
                Method method = getParameter;
                if (method == null) {
                    method = Class.forName(
                                    "org.postgresql.PGNotification",
                                    true,
                                    getNotifications.getDeclaringClass().getClassLoader())
                            .getMethod("getParameter");
                    getParameter = method;
                }
                payloads.add((String) method.invoke(notification));
            }
            return payloads;
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof SQLException cause ? cause : new SQLException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new SQLException("notifications need PostgreSQL's own JDBC driver", e);
        }
    }
}
