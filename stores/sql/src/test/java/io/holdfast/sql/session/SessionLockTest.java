package io.holdfast.sql.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.WatchableStore;
import io.holdfast.sql.Servers;
import io.holdfast.sql.SqlFixture;
import io.holdfast.sql.WrongClock;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is particular to locks that sessions hold, on PostgreSQL. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class SessionLockTest {
    private final PostgresServer server = Servers.postgres();
    private final String table = Servers.table();

    private String url(int port, String mode, String options) {
        return server.urlAt(port) + "&holdfast.autoCreate=true&holdfast.table=" + table + "&holdfast=" + mode + options;
    }

    /** U13: the token is committed apart from the lock, so it stays when the holder's session is rolled back. */
    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "advisory"})
    void aTokenOutlivesTheSessionThatDrewIt(String mode) throws Exception {
        long first;
        try (LockStore store = SqlFixture.openUrl(url(server.port(), mode, ""))) {
            ContractClient client = new ContractClient(store);
            Claim held = Ask.exclusive("job").claim();
            first = client.granted(held).token();
            server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'"
                    + " AND query LIKE '%" + table + "%' AND pid <> pg_backend_pid()");
            client.lost(held);
        }
        try (LockStore store = SqlFixture.openUrl(url(server.port(), mode, ""))) {
            ContractClient client = new ContractClient(store);
            assertThat(client.status("job").lastToken()).isGreaterThanOrEqualTo(first);
            await().until(() -> client.tryAcquire(Ask.exclusive("job").claim()) instanceof Granted);
            assertThat(client.status("job").lastToken()).isGreaterThan(first);
        }
    }

    /** U22: a holder that is cut off is LOST by its own count; the server frees the lock when the TTL is over. */
    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "advisory"})
    void aHolderThatIsCutOffIsLostAndTheServerFreesItsLock(String mode) throws Exception {
        Duration patience = TestTime.scaled(Duration.ofSeconds(20));
        try (TcpProxy proxy = TcpProxy.to(server);
                Holdfast holder = Holdfast.open(url(proxy.port(), mode, "&holdfast.ioTimeout=500ms"));
                Holdfast other = Holdfast.open(url(server.port(), mode, ""))) {
            Lease lease = holder.mutex("cut")
                    .acquire(LockOptions.waitUpTo(Duration.ofSeconds(5)).ttl(Duration.ofSeconds(2)));
            assertThat(other.mutex("cut").tryAcquire()).isEmpty();
            proxy.cut();

            await().atMost(patience).until(() -> lease.state() == LeaseState.LOST);
            Lease next = other.mutex("cut").acquire(LockOptions.waitUpTo(patience));

            assertThat(next.token()).isGreaterThan(lease.token());
            next.close();
            proxy.restore();
        }
    }

    /** One connection holds one lock: a pool that is used up is a clear error. */
    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "advisory"})
    void aPoolThatIsUsedUpSaysSo(String mode) throws Exception {
        try (LockStore store =
                SqlFixture.openUrl(url(server.port(), mode, "&holdfast.poolSize=1&holdfast.ioTimeout=300ms"))) {
            ContractClient client = new ContractClient(store);
            Claim one = Ask.exclusive("one").claim();
            client.granted(one);
            assertThatThrownBy(() -> client.tryAcquire(Ask.exclusive("two").claim()))
                    .isInstanceOfSatisfying(StoreUnavailableException.class, failure -> {
                        assertThat(failure.outcomeUnknown()).isFalse();
                        assertThat(failure).hasMessageContaining("holdfast.poolSize");
                    });
            client.released(one);
            client.granted(Ask.exclusive("two"));
        }
    }

    private static Stream<Arguments> places() {
        return Stream.of("rowlock", "advisory")
                .flatMap(mode -> Stream.of(
                        Arguments.of(Servers.postgres().url(), mode),
                        Arguments.of(Servers.mariaDb().url(), mode),
                        Arguments.of(Servers.mySql().url(), mode)));
    }

    private String url(String base, String mode, String options) {
        return base + (base.contains("?") ? "&" : "?") + "holdfast.autoCreate=true&holdfast.table=" + table
                + "&holdfast=" + mode + options;
    }

    /** It stands in the database's own queue; whoever has no place there asks again after a pause. */
    @ParameterizedTest
    @MethodSource("places")
    void aWaiterIsGrantedTheLockThatIsGivenBack(String base, String mode) throws Exception {
        for (String pool : List.of("", "&holdfast.poolSize=1")) {
            try (Holdfast holder = Holdfast.open(url(base, mode, ""));
                    Holdfast client = Holdfast.open(url(base, mode, pool))) {
                Lease held = holder.mutex("wanted").acquire();
                List<CompletableFuture<Lease>> waiters = Stream.generate(
                                () -> client.mutex("wanted").acquireAsync(LockOptions.waitUpTo(TestTime.patience())))
                        .limit(3)
                        .toList();
                await().until(() -> !pool.isEmpty() || !inLine(base, "wanted").isEmpty());
                held.close();
                long last = held.token();
                for (CompletableFuture<Lease> waiter : waiters) {
                    Lease next = waiter.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
                    assertThat(next.token()).isGreaterThan(last);
                    last = next.token();
                    next.close();
                }
                holder.mutex("wanted")
                        .acquire(LockOptions.waitUpTo(TestTime.patience()))
                        .close();
            }
        }
    }

    /** A place in the queue that nobody wants any more is not in the way of a try that follows. */
    @ParameterizedTest
    @MethodSource("places")
    void aWaiterThatGaveUpIsNotInTheWay(String base, String mode) throws Exception {
        try (LockStore holding = SqlFixture.openUrl(url(base, mode, ""));
                LockStore waiting = SqlFixture.openUrl(url(base, mode, ""))) {
            ContractClient holder = new ContractClient(holding);
            ContractClient client = new ContractClient(waiting);
            for (int i = 0; i < 3; i++) {
                Claim held = Ask.exclusive("left").claim();
                holder.granted(held);
                WatchableStore.Watch watch = ((WatchableStore) waiting).watch("left", () -> {});
                await().until(() -> !inLine(base, "left").isEmpty());
                watch.close();
                holder.released(held);

                Claim next = Ask.exclusive("left").claim();
                client.granted(next);
                client.released(next);
            }
        }
    }

    /** The session that waits is ended: the waiter stands in line again. */
    @ParameterizedTest
    @MethodSource("places")
    void aWaiterWhoseSessionIsEndedIsGrantedTheLockNevertheless(String base, String mode) throws Exception {
        try (Holdfast holder = Holdfast.open(url(base, mode, ""));
                Holdfast client = Holdfast.open(url(base, mode, ""))) {
            Lease held = holder.mutex("ended").acquire();
            CompletableFuture<Lease> waiter =
                    client.mutex("ended").acquireAsync(LockOptions.waitUpTo(TestTime.patience()));
            await().until(() -> !inLine(base, "ended").isEmpty());
            for (long session : inLine(base, "ended")) {
                execute(
                        base,
                        (base.contains("postgres")
                                ? "SELECT pg_terminate_backend(" + session + ")"
                                : "KILL CONNECTION " + session));
            }
            held.close();

            Lease next = waiter.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
            assertThat(next.token()).isGreaterThan(held.token());
            next.close();
        }
    }

    /** A renewal reads inside the holder's transaction: it locks nothing there, and sees what was committed since. */
    @ParameterizedTest
    @MethodSource("places")
    void aRenewedHolderKeepsNobodyFromAskingAndHearsOfItsRevocation(String base, String mode) throws Exception {
        try (LockStore holding = SqlFixture.openUrl(url(base, mode, ""));
                LockStore asking = SqlFixture.openUrl(url(base, mode, ""))) {
            ContractClient holder = new ContractClient(holding);
            ContractClient other = new ContractClient(asking);
            Claim held = Ask.exclusive("renewed").claim();
            holder.granted(held);
            holder.renewed(held);

            other.refused(Ask.exclusive("renewed"));
            other.revoked("renewed", Revocation.AT_LEASE_END);

            assertThat(holder.lost(held).reason()).isEqualTo(LossReason.REVOKED);
        }
    }

    /** The client's clocks decide nothing in the database. */
    @ParameterizedTest
    @MethodSource("places")
    void aClientWhoseClockIsWrongByAnHourChangesNothing(String base, String mode) throws Exception {
        try (LockStore ahead = SqlFixture.openUrl(url(base, mode, ""));
                LockStore behind = SqlFixture.openUrl(url(base, mode, ""))) {
            ahead.attach(WrongClock.by(Duration.ofHours(1)));
            behind.attach(WrongClock.by(Duration.ofHours(-1)));
            long last = 0;
            for (LockStore store : List.of(ahead, behind, ahead, behind)) {
                ContractClient holder = new ContractClient(store);
                Claim claim = Ask.exclusive("clock").claim();
                long token = holder.granted(claim).token();
                assertThat(token).isGreaterThan(last);
                assertThat(token / 1_000_000).isCloseTo(System.currentTimeMillis() / 1000, within(60L));
                last = token;
                new ContractClient(store == ahead ? behind : ahead).refused(Ask.exclusive("clock"));
                holder.renewed(claim);
                holder.released(claim);
            }
        }
    }

    /** The sessions that wait for this lock, as the database sees them. */
    private List<Long> inLine(String base, String name) throws SQLException {
        if (base.contains("postgresql")) {
            return execute(
                    base,
                    "SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND (query LIKE '%"
                            + table + "_row%' OR query LIKE '%pg_advisory_lock(lock_key) FROM " + table + "_token%')");
        }
        return execute(
                base,
                "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND (info LIKE"
                        + " CONCAT('%holdfast:', (SELECT lock_key FROM " + table + "_token WHERE name = '" + name
                        + "'), '%') OR info LIKE '%" + table + "_row%FOR UPDATE')");
    }

    private static List<Long> execute(String base, String sql) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(base);
                Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    while (sql.contains(" FROM ") && rows.next()) {
                        numbers.add(rows.getLong(1));
                    }
                }
            }
        }
        return numbers;
    }
}
