package io.holdfast.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import io.holdfast.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The store's own pool. Callers wait for a turn before they ask the pool, so that a short TTL can have a shorter wait
 * than the pool knows of.
 */
final class PooledSessions implements SqlSessions {
    private static final long SHORTEST_POOL_WAIT = 250;

    private final HikariDataSource pool;
    private final Semaphore turns;
    private final SqlConfig config;
    private final String location;

    /** Over a driver. */
    PooledSessions(DataSource source, SqlConfig config, String location) {
        this.config = config;
        this.location = location;
        turns = new Semaphore(config.poolSize());
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
        return Turns.uninterrupted(() -> inTurn(budgetNanos, work));
    }

    private <T> T inTurn(long budgetNanos, Work<T> work) {
        long deadline = System.nanoTime() + budgetNanos;
        enter(budgetNanos);
        try (Connection connection = connection()) {
            if (budgetNanos < config.ioTimeout().toNanos()) {
                Turns.bound(connection, Math.max(1, deadline - System.nanoTime()));
            }
            return Turns.run(connection, deadline, work);
        } catch (SQLException e) {
            throw SqlErrors.whileRunning(e, location);
        } finally {
            turns.release();
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
            if (turns.tryAcquire() || turns.tryAcquire(budgetNanos, TimeUnit.NANOSECONDS)) {
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
