package io.holdfast.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.PostgresServer;
import io.holdfast.tck.TestTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool of the application that is too small, or that the application uses up. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class ApplicationPoolTest {
    private final PostgresServer server = Servers.postgres();
    private final String table = Servers.table();

    @Test
    void aPoolThatIsTooSmallIsRefusedWhenTheStoreIsOpened() {
        for (int size = 1; size <= 2; size++) {
            try (HikariDataSource pool = pool(size)) {
                assertThatThrownBy(() -> open(pool, ""))
                        .isInstanceOfSatisfying(
                                StoreUnavailableException.class,
                                failure -> assertThat(failure.outcomeUnknown()).isFalse())
                        .hasMessageContaining("too small or used up");
            }
        }
    }

    @Test
    void twoConnectionsAreEnoughWithoutTheOneThatListens() throws Exception {
        try (HikariDataSource pool = pool(2);
                Holdfast holdfast = open(pool, "&holdfast.listen=false")) {
            Lease lease = holdfast.mutex("small").acquire(shortLease());
            long end = leaseEnd();
            await().atMost(TestTime.patience()).until(() -> leaseEnd() > end);
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    /** Renewals have a connection of their own from the first moment. */
    @Test
    void aPoolThatIsUsedUpIsAClearErrorAndEndsNoLease() throws Exception {
        try (HikariDataSource pool = pool(5);
                Holdfast holdfast = open(pool, "&holdfast.ioTimeout=500ms")) {
            Lease lease = holdfast.mutex("kept").acquire(shortLease());
            List<Connection> taken = takeAll(pool);
            assertThat(taken).isNotEmpty();

            assertThatThrownBy(() -> holdfast.mutex("other").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("pool");
            long end = leaseEnd();
            await().atMost(TestTime.patience())
                    .until(() -> leaseEnd() > end + Duration.ofSeconds(2).toNanos() / 1000);
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);

            for (Connection connection : taken) {
                connection.close();
            }
            holdfast.mutex("other")
                    .acquire(LockOptions.waitUpTo(TestTime.patience()))
                    .close();
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    private static LockOptions shortLease() {
        return LockOptions.waitUpTo(TestTime.patience()).ttl(TestTime.scaled(Duration.ofMillis(1500)));
    }

    private static List<Connection> takeAll(HikariDataSource pool) throws SQLException {
        List<Connection> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(pool.getConnection());
            }
        } catch (SQLTransientConnectionException exhausted) {
            return taken;
        }
    }

    private static HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Servers.postgres().url());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(250);
        return new HikariDataSource(config);
    }

    private Holdfast open(HikariDataSource pool, String options) {
        return Holdfast.builder()
                .store(SqlStores.over(pool, "holdfast.autoCreate=true&holdfast.table=" + table + options))
                .open();
    }

    private long leaseEnd() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT max(lease_end) FROM " + table + " WHERE name IN ('kept', 'small')")) {
            row.next();
            return row.getLong(1);
        }
    }
}
