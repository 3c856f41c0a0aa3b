package io.holdfast.sql.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.sql.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many statements the database sees, counted by itself. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class PostgresCountTest {
    private static PostgresServer server = Servers.postgres();
    private final String table = Servers.table();
    private final String url = server.url() + "&holdfast.autoCreate=true&holdfast.table=" + table;

    @BeforeAll
    static void count() throws SQLException {
        server.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    }

    @Test
    void anUncontendedLockIsOneStatementToTakeAndOneToGiveBack() throws Exception {
        try (Holdfast holdfast = Holdfast.open(url)) {
            long before = statements();
            for (int i = 0; i < 20; i++) {
                holdfast.mutex("new-" + i).acquire().close();
            }
            assertThat(statements() - before).as("20 pairs on new names").isBetween(40L, 42L);

            DistributedLock lock = holdfast.mutex("old");
            lock.acquire().close();
            before = statements();
            for (int i = 0; i < 50; i++) {
                lock.acquire().close();
            }
            // The sweep of every 256th grant is two statements more.
            assertThat(statements() - before).as("50 pairs on one name").isBetween(100L, 102L);
        }
    }

    @Test
    void twoHundredWaitersOfOneClientAskOncePerSecondInAll() throws Exception {
        try (Holdfast holder = Holdfast.open(url);
                Holdfast client = Holdfast.open(url)) {
            Lease held = holder.mutex("wanted").acquire(LockOptions.defaults().ttl(Duration.ofMinutes(2)));
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(1)).ttl(Duration.ofMinutes(2));
            for (int i = 0; i < 200; i++) {
                waiters.add(client.mutex("wanted").acquireAsync(patient));
            }
            TimeUnit.SECONDS.sleep(2);
            long before = statements();
            long start = System.nanoTime();
            TimeUnit.SECONDS.sleep(6);
            double seconds = (System.nanoTime() - start) / 1e9;

            assertThat((statements() - before) / seconds).isLessThanOrEqualTo(1.0);
            waiters.forEach(waiter -> waiter.cancel(true));
            held.close();
        }
    }

    /** A tick of the keeper is one statement, and there are at most sixty in a TTL: two per second for 30 s. */
    @Test
    void renewalsOfManyLeasesAreOneStatementPerTick() throws Exception {
        try (Holdfast client = Holdfast.open(url)) {
            Duration ttl = Duration.ofSeconds(6);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                leases.add(
                        client.mutex("kept-" + i).acquire(LockOptions.defaults().ttl(ttl)));
            }
            long before = statements();
            long start = System.nanoTime();
            TimeUnit.SECONDS.sleep(5);
            double ttls = (System.nanoTime() - start) / (double) ttl.toNanos();

            assertThat((statements() - before) / ttls).isLessThanOrEqualTo(60.0);
            assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
            leases.forEach(Lease::close);
        }
    }

    /** Those about this test's tables. */
    private long statements() throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement sum = connection.prepareStatement(
                        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE ?"
                                + " AND query NOT LIKE '%pg_stat_statements%'")) {
            sum.setString(1, "%" + table + "%");
            try (ResultSet row = sum.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
