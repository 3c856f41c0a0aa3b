package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Revocation;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sessions of a store, and which store a node belongs to: on a real server whose shortest session is 2 s. */
class ZooKeeperSessionsTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final AtomicInteger ROOTS = new AtomicInteger();
    private static ZooKeeperServer server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private String root = "";
    private RawClient raw;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.open(ZooKeeperOptions.defaults().unflushed().option("minSessionTimeout", "2000"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void look() throws Exception {
        root = "/sessions-" + ROOTS.incrementAndGet();
        raw = open(RawClient.to(server));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    /** L15, promise 3: the session of a dead holder is no longer than its lease, whatever else its client holds. */
    @Test
    void aDeadHoldersShortLeaseEndsLongBeforeItsClientsLongOne() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast dead = open(Holdfast.open("zk://127.0.0.1:" + proxy.port() + root + "?session=10m"));
        dead.mutex("long").acquire(ttl(Duration.ofMinutes(10)));
        dead.mutex("short").acquire(ttl(Duration.ofSeconds(4)));
        Holdfast alive = open(Holdfast.open(server.url() + root));

        proxy.cut();

        // With one session for both it would be ten minutes.
        alive.mutex("short").acquire(waitUpTo(PATIENCE)).close();
        assertThat(alive.mutex("long").tryAcquire()).isEmpty();
    }

    /** L22: one session per TTL in whole seconds, eight at most; a further TTL takes the longest that is not above it. */
    @Test
    void thereAreEightSessionsAtMost() throws Exception {
        Holdfast client = open(Holdfast.open(server.url() + root + "?session=60s"));
        List<Lease> leases = new ArrayList<>();
        for (int seconds : new int[] {60, 50, 40, 30, 20, 15, 12, 11, 35, 1, 3}) {
            leases.add(client.mutex("job-" + seconds).acquire(ttl(Duration.ofSeconds(seconds))));
        }
        leases.add(client.mutex("again").acquire(ttl(Duration.ofMillis(30_900))));

        assertThat(raw.children(root + "/clients")).hasSize(Sessions.MOST);
        for (Lease lease : leases) {
            assertThat(lease.release()).isNotEqualTo(ReleaseOutcome.UNKNOWN);
        }
    }

    /** A lease on a session that is shorter than its TTL is renewed in time for the session. */
    @Test
    void aLeaseThatIsLongerThanItsSessionIsKept() throws Exception {
        RawClient mine = open(RawClient.to(server.address(), 10_000));
        Holdfast client = open(Holdfast.builder()
                .store(ZooKeeperLockStore.over(mine.zk, root, ""))
                .open());
        Lease lease = client.mutex("job").acquire(ttl(Duration.ofMinutes(5)));
        long start = System.nanoTime();

        await("longer than the session")
                .until(() -> System.nanoTime() - start > Duration.ofSeconds(12).toNanos());

        lease.ensureValid();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** L15 for a session that was passed in: a shorter lease is refused, because the lock would outlive its holder. */
    @Test
    void aTtlBelowTheSessionThatWasPassedInIsRefused() throws Exception {
        RawClient mine = open(RawClient.to(server.address(), 30_000));
        Holdfast client = open(Holdfast.builder()
                .store(ZooKeeperLockStore.over(mine.zk, root, ""))
                .open());

        assertThatThrownBy(() -> client.mutex("job").acquire(ttl(Duration.ofSeconds(10))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("30");
        client.mutex("job").acquire(ttl(Duration.ofSeconds(30))).close();
    }

    /** L2: after a reconnect a store sweeps its own nodes, not those of another store over the same client. */
    @Test
    void twoStoresOverOneClientLeaveEachOthersNodesAloneAfterAReconnect() throws Exception {
        RawClient mine = open(RawClient.to(server.address(), 30_000));
        Holdfast one = open(Holdfast.builder()
                .store(ZooKeeperLockStore.over(mine.zk, root, ""))
                .open());
        Holdfast two = open(Holdfast.builder()
                .store(ZooKeeperLockStore.over(mine.zk, root, ""))
                .open());
        Lease a = one.mutex("a").acquire(ttl(Duration.ofSeconds(30)));
        Lease b = two.mutex("b").acquire(ttl(Duration.ofSeconds(30)));
        List<String> nodes = raw.nodes(root);

        mine.zk.getTestable().closeSocket();
        await("the connection was lost").until(() -> a.state() != LeaseState.HELD || b.state() != LeaseState.HELD);
        await("held again").until(() -> a.state() == LeaseState.HELD && b.state() == LeaseState.HELD);

        // What is answered now was sent after both sweeps.
        one.mutex("other").acquire(ttl(Duration.ofSeconds(30))).close();
        two.mutex("other").acquire(ttl(Duration.ofSeconds(30))).close();
        assertThat(raw.nodes(root)).containsExactlyInAnyOrderElementsOf(nodes);
        assertThat(a.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(b.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Promise 6: a release whose node was deleted by a revocation before it arrived is not a release. */
    @Test
    void aReleaseThatComesAfterARevocationDoesNotSayReleased() throws Exception {
        for (String mode : List.of("?mode=sequential", "?mode=single")) {
            String name = "job" + mode.length();
            TcpProxy proxy = open(TcpProxy.to(server));
            Holdfast holder = open(Holdfast.open("zk://127.0.0.1:" + proxy.port() + root + mode));
            Holdfast operator = open(Holdfast.open(server.url() + root + mode));
            Lease lease = holder.mutex(name).acquire(waitUpTo(PATIENCE));
            proxy.replies().delay(Duration.ofMillis(500));

            operator.revoke(name, Revocation.NOW);

            assertThat(lease.release()).as(mode).isNotEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    /**
     * U32: the holder changes between the look of a revocation and its end. What is ended, and what is answered, is of the
     * holder that the last look saw; the holder that left is not written into the node of the next.
     */
    @Test
    void aRevocationDuringAChangeOfHoldersIsOfTheHolderThatItSaw() throws Exception {
        for (String mode : List.of("?mode=sequential", "?mode=single")) {
            String name = "job" + mode.length();
            TcpProxy proxy = open(TcpProxy.to(server));
            Holdfast first = open(Holdfast.builder()
                    .url(server.url() + root + mode)
                    .label("first")
                    .open());
            Holdfast second = open(Holdfast.builder()
                    .url(server.url() + root + mode)
                    .label("second")
                    .open());
            LockStore operator = new ZooKeeperStoreProvider()
                    .open(
                            StoreUrl.parse("zk://127.0.0.1:" + proxy.port() + root + mode),
                            new StoreProvider.Settings("", Duration.ofSeconds(30)));
            Holdfast keeps = open(Holdfast.builder().store(operator).open());
            assertThat(keeps.inspect(name)).isNotNull();
            Lease leaving = first.mutex(name).acquire(ttl(Duration.ofSeconds(30)));
            proxy.replies().delay(Duration.ofMillis(700));
            long delayed = proxy.replies().delayed();
            CompletableFuture<RevokeResult> revoking =
                    operator.revoke(name, Revocation.AT_LEASE_END).toCompletableFuture();
            await("the server has answered both questions of the look")
                    .until(() -> proxy.replies().delayed() >= delayed + 2);

            assertThat(leaving.release()).as(mode).isEqualTo(ReleaseOutcome.RELEASED);
            Lease coming = second.mutex(name).acquire(ttl(Duration.ofSeconds(12)));

            boolean inTime = proxy.replies().delayed() == delayed + 2;
            proxy.replies().delay(Duration.ZERO);
            RevokeResult answer;
            try {
                answer = revoking.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException unanswered) {
                // The operator's patience is its I/O timeout; whatever it did must still be of the holder of now.
                answer = new RevokeResult.NotHeld();
            }
            // On a busy machine the holder may change after the revocation: then it was the first holder's, as it
            // should be.
            if (inTime && answer instanceof RevokeResult.Revoked revoked) {
                assertThat(revoked.opensIn()).as(mode).isLessThanOrEqualTo(Duration.ofSeconds(12));
            }
            assertThat(second.inspect(name).orElseThrow().holders()).as(mode).allSatisfy(holder -> {
                assertThat(holder.label()).contains("second");
                assertThat(holder.token()).isEqualTo(coming.token());
            });
            coming.close();
        }
    }

    /** Lock-delays of names that are never used again are removed by other claims that write one. */
    @Test
    void oldLockDelaysOfUnusedNamesAreRemoved() throws Exception {
        ZooKeeperLockStore store = (ZooKeeperLockStore) new ZooKeeperStoreProvider()
                .open(StoreUrl.parse(server.url() + root), new StoreProvider.Settings("", Duration.ofSeconds(30)));
        store.removeOldDelaysAfter(0);
        Holdfast client = open(Holdfast.builder().store(store).open());
        LockOptions delayed = waitUpTo(PATIENCE).lockDelay(Duration.ofMillis(10));
        for (int i = 0; i < 5; i++) {
            client.mutex("order-" + i).acquire(delayed);
        }
        for (String node : raw.nodes(root)) {
            if (node.contains("/x-")) {
                raw.zk.delete(node, -1);
            }
        }
        assertThat(raw.nodes(root)).hasSize(5);

        await("they are gone").until(() -> {
            for (int i = 0; i < OldDelays.EVERY; i++) {
                client.mutex("used").acquire(delayed).close();
            }
            return raw.nodes(root).isEmpty();
        });
    }

    private static LockOptions ttl(Duration ttl) {
        return waitUpTo(PATIENCE).ttl(ttl);
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(10));
    }

    private <T extends AutoCloseable> T open(T value) {
        opened.push(value);
        return value;
    }
}
