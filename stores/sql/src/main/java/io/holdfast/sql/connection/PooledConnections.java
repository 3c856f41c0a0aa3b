package io.holdfast.sql.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import io.holdfast.StoreUnavailableException;
import io.holdfast.sql.config.SqlConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The store's own pool. A thread takes one of {@code poolSize} permits before it asks the pool for a connection. So a
 * claim with a short TTL can have a shorter wait than the pool's one setting.
 */
public final class PooledConnections implements Connections {
    private static final long SHORTEST_POOL_WAIT = 250;

    private final HikariDataSource pool;
    private final Semaphore permits;
    private final SqlConfig config;
    private final String location;

    /** Over a driver. */
    public PooledConnections(DataSource source, SqlConfig config, String location) {
        this.config = config;
        this.location = location;
        permits = new Semaphore(config.poolSize());
        HikariConfig hikari = new HikariConfig();
        hikari.setDataSource(source);
        hikari.setPoolName("holdfast-" + Integer.toHexString(System.identityHashCode(this)));
        hikari.setMaximumPoolSize(config.poolSize());
        hikari.setMinimumIdle(1);
        hikari.setAutoCommit(true);
        hikari.setConnectionTimeout(
                Math.max(SHORTEST_POOL_WAIT, config.connectTimeout().toMillis()));
        hikari.setValidationTimeout(
                Math.max(SHORTEST_POOL_WAIT, config.ioTimeout().toMillis()));
        hikari.setInitializationFailTimeout(1);
        try {
            pool = new HikariDataSource(hikari);
        } catch (HikariPool.PoolInitializationException e) {
            SQLException cause = e.getCause() instanceof SQLException known ? known : new SQLException(e);
            throw SqlErrors.whileConnecting(cause, location, config.poolSize());
        }
    }

    @Override
    public <T> T call(long budgetNanos, Work<T> work) {
        return ConnectionRuns.uninterrupted(() -> run(budgetNanos, work));
    }

    private <T> T run(long budgetNanos, Work<T> work) {
        long deadline = System.nanoTime() + budgetNanos;
        enter(budgetNanos);
        try (Connection connection = connection()) {
            if (budgetNanos < config.ioTimeout().toNanos()) {
                ConnectionRuns.bound(connection, Math.max(1, deadline - System.nanoTime()));
            }
            return ConnectionRuns.run(connection, deadline, work);
        } catch (SQLException e) {
            throw SqlErrors.whileRunning(e, location);
        } finally {
            permits.release();
        }
    }

    private Connection connection() {
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            throw SqlErrors.whileConnecting(e, location, config.poolSize());
        }
    }

    private void enter(long budgetNanos) {
        try {
            if (permits.tryAcquire() || permits.tryAcquire(budgetNanos, TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new StoreUnavailableException(
                "all " + config.poolSize() + " connections to the database " + location + " were in use for "
                        + Duration.ofNanos(budgetNanos).toMillis() + " ms; raise holdfast.poolSize or the TTL",
                false,
                null);
    }

    @Override
    public void close() {
        pool.close();
    }
}
