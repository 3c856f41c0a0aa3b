package io.holdfast.sql;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.sql.postgres.PostgresLeaseStore;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Connections of an application's pool go back to it as they came, and its transactions are its own. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class ReturnedConnectionsTest {
    private static final String AS_IT_CAME = "autoCommit=false networkTimeout=77000";

    /** A lock wait timeout is an error that leaves the connection whole. */
    private static final String IMPATIENT = "&sessionVariables=innodb_lock_wait_timeout=1";

    private final String table = Servers.table();

    static Stream<Arguments> databases() {
        return Stream.of(
                database("PostgreSQL", () -> Servers.postgres().url() + "&options=-c%20lock_timeout=500"),
                database("MariaDB", () -> Servers.mariaDb().url() + IMPATIENT),
                database("MySQL", () -> Servers.mySql().url() + IMPATIENT));
    }

    private static Arguments database(String name, Supplier<String> url) {
        return Arguments.of(Named.of(name, url));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theyComeBackAsTheyWereAfterSuccessErrorsAndTheStoresEnd(Supplier<String> url) throws Exception {
        try (PlainPool pool = new PlainPool(url.get())) {
            LockStore store = open(pool);
            ContractClient client = new ContractClient(store);
            Claim held = exclusive("job").claim();
            client.granted(held);
            client.renewed(held);
            execute(url.get(), "DROP TABLE " + table);
            assertThatThrownBy(() -> client.tryAcquire(exclusive("other").claim()))
                    .isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> client.renew(held)).isInstanceOf(StoreUnavailableException.class);
            store.close();

            assertThat(pool.returned()).hasSizeGreaterThan(5).containsOnly(AS_IT_CAME);
            assertThat(pool.lent()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void aRowThatAnotherTransactionKeepsLockedIsNoReasonToLeaveThemChanged(Supplier<String> url) throws Exception {
        try (PlainPool pool = new PlainPool(url.get());
                LockStore store = open(pool);
                Connection stranger = DriverManager.getConnection(url.get());
                Statement statement = stranger.createStatement()) {
            ContractClient client = new ContractClient(store);
            Claim held = exclusive("job").claim();
            client.granted(held);
            stranger.setAutoCommit(false);
            statement.executeQuery("SELECT * FROM " + table + " FOR UPDATE").close();

            assertThatThrownBy(() -> client.release(held)).isInstanceOf(StoreUnavailableException.class);
            stranger.rollback();

            assertThat(pool.returned()).isNotEmpty().containsOnly(AS_IT_CAME);
            client.renewed(held);
        }
    }

    @Test
    void theConnectionThatListenedDoesNotListenAnyMore() throws Exception {
        try (PlainPool pool = new PlainPool(Servers.postgres().url())) {
            PostgresLeaseStore store = (PostgresLeaseStore) open(pool);
            ContractClient client = new ContractClient(store);
            Claim held = exclusive("job").claim();
            client.granted(held);
            AtomicBoolean woken = new AtomicBoolean();
            store.watch("job", () -> woken.set(true));
            woken.set(false);
            client.released(held);
            await().atMost(TestTime.patience()).untilTrue(woken);
            store.close();

            assertThat(pool.returned()).containsOnly(AS_IT_CAME);
            assertThat(pool.lent()).isZero();
            for (Connection connection : pool.idle()) {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_listening_channels()")) {
                    row.next();
                    assertThat(row.getLong(1)).isZero();
                }
            }
        }
    }

    /** Spring gives a thread inside a transaction that transaction's connection. */
    @Test
    void aStoreThatIsOpenedInsideATransactionLeavesItAlone() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Servers.postgres().url());
        config.setMaximumPoolSize(8);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            jdbc.execute("CREATE TABLE " + table + "_mine (x int)");
            AtomicReference<Holdfast> opened = new AtomicReference<>();
            AtomicReference<Lease> lease = new AtomicReference<>();

            new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult(transaction -> {
                jdbc.update("INSERT INTO " + table + "_mine VALUES (1)");
                Holdfast holdfast = Holdfast.builder()
                        .store(open(new TransactionAwareDataSourceProxy(pool)))
                        .open();
                opened.set(holdfast);
                try {
                    lease.set(holdfast.mutex("job").acquire());
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                transaction.setRollbackOnly();
            });

            assertThat(jdbc.queryForList("SELECT x FROM " + table + "_mine")).isEmpty();
            assertThat(Objects.requireNonNull(lease.get()).release()).isEqualTo(ReleaseOutcome.RELEASED);
            Objects.requireNonNull(opened.get()).close();
        }
    }

    private LockStore open(javax.sql.DataSource pool) {
        return SqlStores.over(pool, "holdfast.autoCreate=true&holdfast.unflushed=accept&holdfast.table=" + table);
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String text : List.of(statements)) {
                statement.execute(text);
            }
        }
    }
}
