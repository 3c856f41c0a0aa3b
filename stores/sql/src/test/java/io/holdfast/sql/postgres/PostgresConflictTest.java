package io.holdfast.sql.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.sql.Servers;
import io.holdfast.sql.SqlStores;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool of the application whose isolation makes the database give statements up (40001): they are repeated. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class PostgresConflictTest {
    private static final int CLIENTS = 4;
    private static final int PASSES = 60;

    @Test
    void serializationFailuresAreRepeatedAndNobodyHearsOfThem() throws Exception {
        PostgresServer server = Servers.postgres();
        String table = Servers.table();
        long before = rolledBack(server);
        int[] inside = new int[1];
        long[] counter = new long[1];
        try (HikariDataSource pool = pool(server)) {
            ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
            List<Future<?>> all = new ArrayList<>();
            try (Holdfast first = open(pool, table)) {
                // The tables are there before anybody races for a lock.
                first.mutex("x").acquire().close();
                for (int i = 0; i < CLIENTS; i++) {
                    all.add(threads.submit(() -> {
                        try (Holdfast client = open(pool, table)) {
                            for (int pass = 0; pass < PASSES; pass++) {
                                Lease lease = client.mutex("x").acquire(LockOptions.waitUpTo(Duration.ofSeconds(60)));
                                assertThat(++inside[0]).isEqualTo(1);
                                counter[0]++;
                                inside[0]--;
                                lease.close();
                            }
                            return true;
                        }
                    }));
                }
                for (Future<?> each : all) {
                    each.get();
                }
            } finally {
                threads.shutdownNow();
            }
        }
        assertThat(counter[0]).isEqualTo((long) CLIENTS * PASSES);
        assertThat(rolledBack(server) - before).as("conflicts that happened").isPositive();
    }

    private static HikariDataSource pool(PostgresServer server) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setMaximumPoolSize(4 * CLIENTS);
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        return new HikariDataSource(config);
    }

    private static Holdfast open(HikariDataSource pool, String table) {
        return Holdfast.builder()
                .store(SqlStores.over(pool, "holdfast.autoCreate=true&holdfast.table=" + table))
                .open();
    }

    private static long rolledBack(PostgresServer server) throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            try (ResultSet row = statement.executeQuery(
                    "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()")) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
