package io.holdfast.bench.library;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.bench.measure.LockClient;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** The libraries for databases. Each has as many connections as threads. */
public final class SqlLibraries implements LockLibraries {
    public static final int CONNECTIONS = 20;

    /** A row is inserted and deleted, each committed: the least that a lock table can do. No waiting, no token. */
    public static final LockLibrary RAW = LockLibrary.floor("raw insert + delete", (url, ttl) -> raw(pool(url, "")));

    /** The same with asynchronous commits: what is left when nothing is flushed. */
    public static final LockLibrary ASYNC = LockLibrary.floor(
            "raw, asynchronous commit", (url, ttl) -> raw(pool(url, "&options=-c%20synchronous_commit%3Doff")));

    /** The database's own lock and unlock: no token, no lease. */
    public static final LockLibrary RAW_ADVISORY =
            LockLibrary.floor("raw advisory", (url, ttl) -> rawAdvisory(pool(url, "")));

    /** Ours with advisory locks. */
    public static final LockLibrary HOLDFAST_ADVISORY =
            HoldfastLibrary.withUrl("holdfast advisory", "&holdfast=advisory");

    /** ShedLock with its JDBC provider, by the database's time. */
    public static final LockLibrary SHEDLOCK = LockLibrary.peer("ShedLock", (url, ttl) -> shedLock(pool(url, ""), ttl));

    /** Spring Integration's registry. It does not renew, and two names may share its local lock: it cannot hold many. */
    public static final LockLibrary SPRING = LockLibrary.peer(
                    "Spring Integration", (url, ttl) -> spring(pool(url, ""), ttl))
            .without(QuestionIds.RENEWALS, QuestionIds.RECOVERY, QuestionIds.HELD_GROWTH);

    /** All of them, as one thread uses them. */
    public static final List<LockLibrary> ALL =
            List.of(SHEDLOCK, HoldfastLibrary.DEFAULT, HOLDFAST_ADVISORY, RAW, ASYNC, RAW_ADVISORY, SPRING);

    @Override
    public List<LockLibrary> all() {
        return ALL;
    }

    /** Of the same database, without what its URL says to us. */
    private static HikariDataSource pool(String url, String more) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.replaceAll("&holdfast[^&]*", "") + more);
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }

    private static void execute(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static LockClient raw(HikariDataSource pool) throws SQLException {
        execute(pool, "CREATE TABLE IF NOT EXISTS raw_lock (name text PRIMARY KEY, holder text NOT NULL)");
        return LockClient.of(
                name -> LockClient.Handle.of(
                        () -> change(pool, "INSERT INTO raw_lock (holder, name) VALUES (?, ?)", name),
                        () -> change(pool, "DELETE FROM raw_lock WHERE holder = ? AND name = ?", name),
                        LockClient.NOT_ASKED),
                pool::close);
    }

    private static long change(HikariDataSource pool, String text, String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setString(1, "holder");
            statement.setString(2, name);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException(name + ": the raw floor does not wait");
            }
            return 0;
        }
    }

    /** One connection per handle, because the session holds the lock. */
    private static LockClient rawAdvisory(HikariDataSource pool) {
        return LockClient.of(
                name -> {
                    try {
                        Connection connection = pool.getConnection();
                        PreparedStatement take = connection.prepareStatement("SELECT pg_advisory_lock(?)");
                        PreparedStatement give = connection.prepareStatement("SELECT pg_advisory_unlock(?)");
                        take.setLong(1, name.hashCode());
                        give.setLong(1, name.hashCode());
                        return LockClient.Handle.of(
                                () -> {
                                    take.executeQuery().close();
                                    return 0;
                                },
                                () -> give.executeQuery().close(),
                                LockClient.NOT_ASKED);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                },
                pool::close);
    }

    private static LockClient shedLock(HikariDataSource pool, Duration ttl) throws SQLException {
        execute(
                pool,
                "CREATE TABLE IF NOT EXISTS shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
                        + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
        LockProvider provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        return LockClient.of(name -> new ShedLockHandle(provider, name, ttl), pool::close);
    }

    private static LockClient spring(HikariDataSource pool, Duration ttl) throws SQLException {
        // MariaDB's timestamps have no fractions of a second and change by themselves.
        String time = pool.getJdbcUrl().startsWith("jdbc:mariadb:") ? "datetime(6)" : "timestamp";
        execute(
                pool,
                "CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL,"
                        + " CLIENT_ID char(36), CREATED_DATE " + time + " NOT NULL, EXPIRED_AFTER " + time
                        + " NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))");
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, ttl);
        return LockClient.of(name -> LockClient.Handle.of(registry.obtain(name), LockClient.NOT_ASKED), () -> {
            repository.close();
            pool.close();
        });
    }

    /** It does not wait: contention is tried again at once, as its users would have to. */
    private static final class ShedLockHandle implements LockClient.Handle {
        private final LockProvider provider;
        private final String name;
        private final Duration ttl;
        private @Nullable SimpleLock held;

        ShedLockHandle(LockProvider provider, String name, Duration ttl) {
            this.provider = provider;
            this.name = name;
            this.ttl = ttl;
        }

        @Override
        public long lock() {
            LockConfiguration wanted = new LockConfiguration(Instant.now(), name, ttl, Duration.ZERO);
            while (true) {
                var taken = provider.lock(wanted);
                if (taken.isPresent()) {
                    held = taken.get();
                    return 0;
                }
                Thread.onSpinWait();
            }
        }

        @Override
        public void unlock() {
            Objects.requireNonNull(held).unlock();
        }
    }
}
