package io.holdfast.sql.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.sql.SqlFixture;
import io.holdfast.sql.WrongClock;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lease rows in a PostgreSQL that is killed, cut off, paused and failed over. */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class PostgresFaultTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static PostgresServer server = new PostgresServer(PostgresOptions.defaults());

    @BeforeAll
    static void start() {
        server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String url(int port, String options) {
        return server.urlAt(port) + "&holdfast.autoCreate=true&holdfast.ioTimeout=500ms" + options;
    }

    @Test
    void aGrantSurvivesAKilledDatabaseAndWaitersGoOnAfterItsRestart() throws Exception {
        try (Holdfast holder = Holdfast.open(url(server.port(), ""));
                Holdfast other = Holdfast.open(url(server.port(), ""))) {
            DistributedLock mine = holder.mutex("survivor");
            Lease lease =
                    mine.acquire(LockOptions.waitUpTo(Duration.ofSeconds(10)).ttl(Duration.ofSeconds(20)));
            CompletableFuture<Lease> waiter = other.mutex("survivor")
                    .acquireAsync(LockOptions.waitUpTo(Duration.ofSeconds(60)).ttl(Duration.ofSeconds(20)));

            server.kill();
            server.start();

            await().atMost(PATIENCE).until(() -> lease.state() == LeaseState.HELD && !waiter.isDone());
            assertThat(other.mutex("survivor").tryAcquire()).isEmpty();
            lease.close();
            Lease next = waiter.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(next.token()).isGreaterThan(lease.token());
            next.close();
        }
    }

    /** U23: a release that the crash took back leaves the lock to its TTL; a grant that was answered is never taken back. */
    @Test
    void noAnsweredGrantIsTakenBackByACrashAndTokensStillRise() throws Exception {
        long last = 0;
        for (int round = 0; round < 3; round++) {
            try (LockStore store = SqlFixture.openUrl(url(server.port(), ""))) {
                ContractClient client = new ContractClient(store);
                for (int i = 0; i < 20; i++) {
                    Claim passing = Ask.exclusive("crash").claim();
                    long token = client.granted(passing).token();
                    assertThat(token).isGreaterThan(last);
                    last = token;
                    client.released(passing);
                }
                String name = "crash-" + round;
                Claim held = Ask.exclusive(name).claim();
                client.granted(held);
                server.kill();
                server.start();
                await().atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() -> client.holders(name).size() == 1);
                await().atMost(PATIENCE)
                        .ignoreExceptions()
                        .until(() -> client.renew(held) instanceof RenewResult.Renewed);
                // Whatever became of the last release: the name is open, or it opens with the TTL or by an operator.
                client.revoke("crash", Revocation.NOW);
            }
        }
    }

    /** U23: synchronous_commit is what it was, on the session that released and on the one that granted. */
    @Test
    void noSettingOutlivesAStatementOnAPooledSession() throws Exception {
        server.execute("ALTER ROLE postgres SET synchronous_commit = 'local'");
        try (LockStore store = SqlFixture.openUrl(url(server.port(), "&holdfast.poolSize=1"))) {
            ContractClient client = new ContractClient(store);
            for (int i = 0; i < 10; i++) {
                Claim claim = Ask.exclusive("setting").claim();
                client.granted(claim);
                client.released(claim);
            }
            String now = ((PostgresLeaseStore) store).connections().call(1_000_000_000, connection -> {
                try (Statement statement = connection.createStatement();
                        var row = statement.executeQuery("SHOW synchronous_commit")) {
                    row.next();
                    return row.getString(1);
                }
            });
            assertThat(now).isEqualTo("local");
        } finally {
            server.execute("ALTER ROLE postgres RESET synchronous_commit");
        }
    }

    @Test
    void aConnectionThatIsCutBeforeTheRequestArrivesGrantsNothing() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(server);
                LockStore store = SqlFixture.openUrl(url(proxy.port(), ""))) {
            ContractClient client = new ContractClient(store);
            warmUp(client, "cut-before");
            proxy.requests().drop();
            Claim lost = Ask.exclusive("cut-before").claim();
            failsUnknown(client, lost);
            proxy.restore();

            await().atMost(PATIENCE).ignoreExceptions().until(() -> client.release(lost) != null);
            client.nothingLeft("cut-before");
        }
    }

    /** The database acted and the reply was lost: unknown, and undone by the release of that holder id. */
    @Test
    void aGrantWhoseReplyIsLostIsUnknownAndUndoneByItsRelease() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(server);
                LockStore store = SqlFixture.openUrl(url(proxy.port(), ""));
                LockStore witness = SqlFixture.openUrl(url(server.port(), ""))) {
            ContractClient client = new ContractClient(store);
            ContractClient other = new ContractClient(witness);
            warmUp(client, "reply-lost");
            proxy.replies().drop();
            Claim granted = Ask.exclusive("reply-lost").claim();
            failsUnknown(client, granted);
            assertThat(other.holders("reply-lost")).as("the database acted").hasSize(1);
            proxy.restore();

            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> client.release(granted) instanceof ReleaseResult.Released);
            other.granted(Ask.exclusive("reply-lost"));
        }
    }

    /** The same for a renewal and a release: an unknown outcome is an exception, and the repeat finds the truth. */
    @Test
    void aRenewalAndAReleaseWhoseRepliesAreLostCanBeRepeated() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(server);
                LockStore store = SqlFixture.openUrl(url(proxy.port(), ""))) {
            ContractClient client = new ContractClient(store);
            warmUp(client, "repeat");
            Claim held = Ask.exclusive("repeat").claim();
            client.granted(held);
            client.renewed(held);
            proxy.replies().drop();
            assertThatThrownBy(() -> client.renew(held)).isInstanceOf(StoreUnavailableException.class);
            proxy.restore();
            await().atMost(PATIENCE).ignoreExceptions().until(() -> client.renew(held) instanceof RenewResult.Renewed);
            proxy.replies().drop();
            assertThatThrownBy(() -> client.release(held)).isInstanceOf(StoreUnavailableException.class);
            proxy.restore();
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> client.release(held) instanceof ReleaseResult.NotHeld);
            client.nothingLeft("repeat");
        }
    }

    /** L1: an acquire that the database executes after its release had found nothing meets the tombstone. */
    @Test
    void anAcquireThatArrivesAfterItsReleaseIsRefused() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(server);
                LockStore slow = SqlFixture.openUrl(url(proxy.port(), ""));
                LockStore fast = SqlFixture.openUrl(url(server.port(), ""))) {
            ContractClient client = new ContractClient(slow);
            ContractClient other = new ContractClient(fast);
            warmUp(client, "late");
            proxy.requests().cut();
            Claim late = Ask.exclusive("late").claim();
            failsUnknown(client, late);
            other.notHeld(late);
            proxy.requests().restore();

            Claim next = Ask.exclusive("late").claim();
            await().atMost(PATIENCE).until(() -> other.tryAcquire(next) instanceof Granted);
            assertThat(other.holders("late")).hasSize(1);
            other.released(next);
            other.nothingLeft("late");
        }
    }

    /** L7: a stranger who keeps one row locked ends no other lease, and the locked one is answered "unknown". */
    @Test
    void aStrangersOpenTransactionOnOneRowDoesNotKeepOthersFromBeingRenewed() throws Exception {
        try (LockStore store = SqlFixture.openUrl(url(server.port(), ""));
                Connection stranger = server.connect();
                Statement statement = stranger.createStatement()) {
            ContractClient client = new ContractClient(store);
            Claim locked = Ask.exclusive("stranger-1").claim();
            Claim free = Ask.exclusive("stranger-2").claim();
            client.granted(locked);
            client.granted(free);
            stranger.setAutoCommit(false);
            statement.execute("SELECT * FROM holdfast_lock WHERE name = 'stranger-1' FOR UPDATE");

            List<RenewResult> results = ContractClient.answer(store.renew(List.of(locked, free)));

            assertThat(results.get(0)).isInstanceOf(RenewResult.Unanswered.class);
            assertThat(results.get(1)).isInstanceOf(RenewResult.Renewed.class);
            stranger.rollback();
            client.renewed(locked);
            client.released(locked);
            client.released(free);
        }
    }

    /** A caller's transaction that rolls back does not touch the lock, which is committed on another connection. */
    @Test
    void aCallersRollbackDoesNotTouchTheLock() throws Exception {
        try (Holdfast holdfast = Holdfast.open(url(server.port(), ""));
                Holdfast other = Holdfast.open(url(server.port(), ""));
                Connection callers = server.connect();
                Statement statement = callers.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS orders (id int)");
            callers.setAutoCommit(false);
            statement.execute("INSERT INTO orders VALUES (1)");
            Lease lease = holdfast.mutex("rollback").acquire();
            callers.rollback();

            assertThat(other.mutex("rollback").tryAcquire()).isEmpty();
            lease.ensureValid();
            lease.close();
        }
    }

    /** Renewals have a connection of their own: a pool of one that callers use all the time ends no lease. */
    @Test
    void aPoolOfOneServesManyThreadsAndKeepsLeasesAlive() throws Exception {
        try (Holdfast holdfast = Holdfast.open(url(server.port(), "&holdfast.poolSize=1"))) {
            Lease kept = holdfast.mutex("kept")
                    .acquire(LockOptions.waitUpTo(Duration.ofSeconds(5)).ttl(Duration.ofSeconds(1)));
            long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            Thread[] threads = new Thread[8];
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            for (int i = 0; i < threads.length; i++) {
                String name = "busy-" + i;
                threads[i] = new Thread(() -> {
                    try {
                        while (System.nanoTime() - end < 0) {
                            holdfast.mutex(name).acquire().close();
                        }
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                });
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            kept.ensureValid();
            kept.close();
        }
    }

    /** An asynchronous standby that missed the last grant: both hold, and only the token tells them apart. */
    @Test
    void aPromotedStandbyThatMissedTheLastGrantGrantsItAgainWithALargerToken() throws Exception {
        PostgresOptions quick = PostgresOptions.defaults().withoutFsync();
        try (PostgresServer primary = PostgresServer.open(quick)) {
            String options = "&holdfast.autoCreate=true";
            SqlFixture.openUrl(primary.url() + options).close();
            try (TcpProxy link = TcpProxy.to(primary);
                    PostgresServer standby = PostgresServer.standbyOf(primary, link.port());
                    LockStore before = SqlFixture.openUrl(primary.url() + options)) {
                standby.awaitStreaming();
                await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                    standby.connect().close();
                    return true;
                });
                link.cut();
                Granted lost = new ContractClient(before)
                        .granted(Ask.exclusive("failover").by("a"));
                primary.kill();
                standby.promote();
                try (LockStore after = SqlFixture.openUrl(standby.url() + options)) {
                    Granted again = new ContractClient(after)
                            .granted(Ask.exclusive("failover").by("b"));

                    assertThat(again.token()).as("a guard refuses the first").isGreaterThan(lost.token());
                }
            }
        }
    }

    /** The client's clocks decide nothing in the database: an hour ahead or behind, grants exclude and tokens rise. */
    @Test
    void aClientWhoseClockIsWrongByAnHourChangesNothing() throws Exception {
        try (LockStore ahead = SqlFixture.openUrl(url(server.port(), ""));
                LockStore behind = SqlFixture.openUrl(url(server.port(), ""))) {
            ahead.attach(WrongClock.by(Duration.ofHours(1)));
            behind.attach(WrongClock.by(Duration.ofHours(-1)));
            ContractClient one = new ContractClient(ahead);
            ContractClient two = new ContractClient(behind);
            long last = 0;
            for (int i = 0; i < 10; i++) {
                ContractClient holder = i % 2 == 0 ? one : two;
                Claim claim = Ask.exclusive("clock").claim();
                long token = holder.granted(claim).token();
                assertThat(token).isGreaterThan(last);
                assertThat(token / 1_000_000).isCloseTo(System.currentTimeMillis() / 1000, within(60L));
                last = token;
                (i % 2 == 0 ? two : one).refused(Ask.exclusive("clock"));
                holder.released(claim);
            }
        }
    }

    private static void warmUp(ContractClient client, String name) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            Claim claim = Ask.exclusive(name).claim();
            client.granted(claim);
            client.released(claim);
        }
    }

    private static void failsUnknown(ContractClient client, Claim claim) {
        assertThatThrownBy(() -> {
                    AcquireResult result = client.tryAcquire(claim);
                    throw new AssertionError("answered " + result);
                })
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
    }

    @Test
    void inspectionNamesTheDatabaseWithoutAPassword() throws Exception {
        String secret = server.url() + "&password=hunter2&holdfast.autoCreate=true";
        try (LockStore store = SqlFixture.openUrl(secret)) {
            assertThat(store.info().location()).doesNotContain("hunter2");
            assertThat(ContractClient.answer(store.inspect(LockQuery.prefix("none-", 5))))
                    .isEmpty();
        }
        assertThatThrownBy(() -> SqlFixture.openUrl(
                        "jdbc:postgresql://127.0.0.1:1/x?user=u&password=hunter2&holdfast.connectTimeout=300ms"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageNotContaining("hunter2");
    }
}
