package io.holdfast.bench.workloads;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Who takes part in the comparisons on PostgreSQL. Every one has as many connections as it has threads. */
enum SqlPeers {
    /** A row is inserted and deleted, each committed: the least that a lock table can do. No waiting, no token. */
    RAW("raw insert + delete"),
    /** The same with asynchronous commits: what is left when nothing is flushed. */
    ASYNC("raw, asynchronous commit"),
    /** The database's own lock and unlock: no token, no lease. */
    RAW_ADVISORY("raw advisory"),
    /** Ours: lease rows. */
    HOLDFAST("holdfast"),
    /** Ours: advisory locks. */
    HOLDFAST_ADVISORY("holdfast advisory"),
    /** ShedLock with its JDBC provider, by the database's time. */
    SHEDLOCK("ShedLock"),
    /** Spring Integration's registry. */
    SPRING("Spring Integration");

    private static final int CONNECTIONS = 20;

    private final String title;

    SqlPeers(String title) {
        this.title = title;
    }

    /** Its name in the report. */
    String title() {
        return title;
    }

    /** A client of this server. */
    RedisPeer open(PostgresServer server) throws SQLException {
        return switch (this) {
            case RAW -> raw(server, "on");
            case ASYNC -> raw(server, "off");
            case RAW_ADVISORY -> rawAdvisory(server);
            case HOLDFAST -> holdfast(server, "");
            case HOLDFAST_ADVISORY -> holdfast(server, "&holdfast=advisory");
            case SHEDLOCK -> shedLock(server);
            case SPRING -> spring(server);
        };
    }

    private static HikariDataSource pool(PostgresServer server) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }

    private static RedisPeer raw(PostgresServer server, String commit) throws SQLException {
        server.execute("CREATE TABLE IF NOT EXISTS raw_lock (name text PRIMARY KEY, holder text NOT NULL)");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url() + "&options=-c%20synchronous_commit%3D" + commit);
        config.setMaximumPoolSize(CONNECTIONS);
        HikariDataSource pool = new HikariDataSource(config);
        return statements(
                pool,
                "INSERT INTO raw_lock (holder, name) VALUES (?, ?)",
                "DELETE FROM raw_lock WHERE holder = ? AND name = ?");
    }

    private static RedisPeer statements(HikariDataSource pool, String take, String give) {
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                return new Handle() {
                    @Override
                    public long lock() throws SQLException {
                        run(take, name);
                        return 0;
                    }

                    @Override
                    public void unlock() throws SQLException {
                        run(give, name);
                    }
                };
            }

            private void run(String text, String name) throws SQLException {
                try (Connection connection = pool.getConnection();
                        PreparedStatement statement = connection.prepareStatement(text)) {
                    statement.setString(1, "holder");
                    statement.setString(2, name);
                    if (statement.executeUpdate() != 1) {
                        throw new IllegalStateException(name + ": the raw floor does not wait");
                    }
                }
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    /** One connection per handle, because the session holds the lock. */
    private static RedisPeer rawAdvisory(PostgresServer server) {
        HikariDataSource pool = pool(server);
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                try {
                    Connection connection = pool.getConnection();
                    PreparedStatement take = connection.prepareStatement("SELECT pg_advisory_lock(?)");
                    PreparedStatement give = connection.prepareStatement("SELECT pg_advisory_unlock(?)");
                    take.setLong(1, name.hashCode());
                    give.setLong(1, name.hashCode());
                    return new Handle() {
                        @Override
                        public long lock() throws SQLException {
                            take.executeQuery().close();
                            return 0;
                        }

                        @Override
                        public void unlock() throws SQLException {
                            give.executeQuery().close();
                        }
                    };
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    private static RedisPeer holdfast(PostgresServer server, String mode) {
        Holdfast client =
                Holdfast.open(server.url() + "&holdfast.autoCreate=true&holdfast.poolSize=" + CONNECTIONS + mode);
        LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(5));
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                DistributedLock lock = client.mutex(name);
                return new Handle() {
                    private @Nullable Lease lease;

                    @Override
                    public long lock() throws InterruptedException {
                        Lease taken = lock.acquire(patient);
                        lease = taken;
                        return taken.token();
                    }

                    @Override
                    public void unlock() {
                        Objects.requireNonNull(lease).close();
                    }
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    /** It does not wait: contention is tried again at once, as its users would have to. */
    private static RedisPeer shedLock(PostgresServer server) throws SQLException {
        server.execute(
                "CREATE TABLE IF NOT EXISTS shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
                        + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
        HikariDataSource pool = pool(server);
        JdbcTemplateLockProvider provider =
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        .usingDbTime()
                        .build());
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                return new Handle() {
                    private @Nullable SimpleLock held;

                    @Override
                    public long lock() {
                        LockConfiguration wanted =
                                new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO);
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
                };
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    private static RedisPeer spring(PostgresServer server) throws SQLException {
        server.execute("CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL,"
                + " CLIENT_ID char(36), CREATED_DATE timestamp NOT NULL, EXPIRED_AFTER timestamp NOT NULL,"
                + " PRIMARY KEY (LOCK_KEY, REGION))");
        HikariDataSource pool = pool(server);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository);
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                Lock lock = registry.obtain(name);
                return new Handle() {
                    @Override
                    public long lock() {
                        lock.lock();
                        return 0;
                    }

                    @Override
                    public void unlock() {
                        lock.unlock();
                    }
                };
            }

            @Override
            public void close() {
                repository.close();
                pool.close();
            }
        };
    }
}
