package io.holdfast.sql;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An application's pool of the plain kind: it hands connections out again as they came back, and puts nothing right. They
 * begin without autocommit and with a network timeout of their own.
 */
final class PlainPool implements DataSource, AutoCloseable {
    private static final int NETWORK_TIMEOUT = 77_000;

    private final String url;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
    private final List<String> returned = new CopyOnWriteArrayList<>();
    private final AtomicInteger lent = new AtomicInteger();

    PlainPool(String url) {
        this.url = url;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection physical = idle.poll();
        if (physical == null) {
            physical = DriverManager.getConnection(url);
            physical.setAutoCommit(false);
            physical.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT);
        }
        lent.incrementAndGet();
        return lent(physical);
    }

    private Connection lent(Connection physical) {
        AtomicBoolean closed = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                PlainPool.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (!closed.getAndSet(true)) {
                            takeBack(physical);
                        }
                        return null;
                    }
                    if (method.getName().equals("isClosed") && closed.get()) {
                        return true;
                    }
                    try {
                        return method.invoke(physical, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void takeBack(Connection physical) throws SQLException {
        returned.add(
                physical.isClosed()
                        ? "closed"
                        : "autoCommit=" + physical.getAutoCommit() + " networkTimeout=" + physical.getNetworkTimeout());
        if (!physical.isClosed()) {
            idle.add(physical);
        }
        lent.decrementAndGet();
    }

    /** How connections were when they came back. */
    List<String> returned() {
        return List.copyOf(returned);
    }

    /** Connections that were not given back. */
    int lent() {
        return lent.get();
    }

    /** The physical connections that are in the pool now. */
    List<Connection> idle() {
        return new ArrayList<>(idle);
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : idle) {
            connection.close();
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
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
