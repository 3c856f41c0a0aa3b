package io.holdfast.sql;

import io.holdfast.sql.connection.ConnectionSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Connections on which the n-th round trip fails, whichever of them makes it, or somebody else is first. A commit counts, and
 * so does a rollback.
 */
final class FaultyConnections {
    /** What happens to it. */
    enum Fate {
        /** The connection breaks, and the database never hears of the statement. */
        CUT_BEFORE,
        /** The database acts, and the connection breaks before its answer is read. */
        REPLY_LOST,
        /** The database gives the statement up for another one's sake. */
        VICTIM
    }

    private static final Set<String> ROUND_TRIPS =
            Set.of("execute", "executeQuery", "executeUpdate", "commit", "rollback");

    private final ConnectionSource real;
    private Fate fate = Fate.CUT_BEFORE;
    private int countdown;
    private @Nullable Callable<?> stranger;

    FaultyConnections(ConnectionSource real) {
        this.real = real;
    }

    /** The n-th round trip from now on, counted from 1. */
    synchronized void failAt(int n, Fate how) {
        countdown = n;
        fate = how;
        stranger = null;
    }

    /** It does not fail; but somebody else is first, and if it is a write it says that it wrote one row, whatever it did. */
    synchronized void overtakeAt(int n, Callable<?> by) {
        countdown = n;
        stranger = by;
    }

    /** Ends it; whether it has come to that. */
    synchronized boolean disarm() {
        boolean hit = countdown == 0;
        countdown = 0;
        return hit;
    }

    /** How many there were since {@code failAt} with the largest number. */
    synchronized int roundTrips() {
        return Integer.MAX_VALUE - countdown;
    }

    Connection open() throws SQLException {
        Connection connection = real.open();
        return wrapped(Connection.class, connection, connection);
    }

    private synchronized boolean isTheOne() {
        return countdown > 0 && --countdown == 0;
    }

    private <T> T wrapped(Class<T> type, Object target, Connection connection) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            boolean counted = ROUND_TRIPS.contains(method.getName()) && isTheOne();
            Callable<?> first = stranger;
            if (counted && first != null) {
                first.call();
                Object result = call(target, method, arguments);
                return result instanceof Integer ? 1 : result;
            }
            if (counted && fate != Fate.REPLY_LOST) {
                throw failure(connection);
            }
            Object result = call(target, method, arguments);
            if (counted) {
                throw failure(connection);
            }
            return result instanceof Statement && !method.getName().equals("unwrap")
                    ? wrapped(kind(result), result, connection)
                    : result;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Class<?> kind(Object statement) {
        return statement instanceof CallableStatement
                ? CallableStatement.class
                : statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
    }

    private SQLException failure(Connection connection) throws SQLException {
        if (fate == Fate.VICTIM) {
            return new SQLException("deadlock detected", "40P01");
        }
        connection.abort(Runnable::run);
        return new SQLException("the connection broke", "08006");
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
