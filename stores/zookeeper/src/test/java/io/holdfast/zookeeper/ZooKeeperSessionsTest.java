package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseOutcome;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.LockStore;
import io.holdfast.zookeeper.session.Sessions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** L15, L22: which session carries which lease; the shortest session of the server is 2 s. */
class ZooKeeperSessionsTest extends OnSharedServer {
    /** L15, promise 3: the session of a dead holder is no longer than its lease, whatever else its client holds. */
    @Test
    void aDeadHoldersShortLeaseEndsLongBeforeItsClientsLongOne() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast dead = open(Holdfast.open(url(proxy) + "?session=10m"));
        dead.mutex("long").acquire(ttl(Duration.ofMinutes(10)));
        dead.mutex("short").acquire(ttl(Duration.ofSeconds(4)));
        Holdfast alive = open(Holdfast.open(url()));

        proxy.cut();

        // With one session for both it would be ten minutes.
        alive.mutex("short").acquire(waitUpTo(PATIENCE)).close();
        assertThat(alive.mutex("long").tryAcquire()).isEmpty();
    }

    /** L22: one session per TTL in whole seconds, eight at most; a further TTL takes the longest that is not above it. */
    @Test
    void thereAreEightSessionsAtMost() throws Exception {
        Holdfast client = open(Holdfast.open(url() + "?session=60s"));
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
        RawClient mine = open(RawClient.to(server().address(), 10_000));
        Holdfast client = client(ZooKeeperLockStore.over(mine.zk, root, ""));
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
        RawClient mine = open(RawClient.to(server().address(), 30_000));
        Holdfast client = client(ZooKeeperLockStore.over(mine.zk, root, ""));

        assertThatThrownBy(() -> client.mutex("job").acquire(ttl(Duration.ofSeconds(10))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("30");
        client.mutex("job").acquire(ttl(Duration.ofSeconds(30))).close();
    }

    /** A session has one timeout: it is chosen from the default TTL, and what it cannot keep is refused. */
    @Test
    @Tag("slow")
    void theSessionIsAsLongAsTheDefaultTtlAndALongerLeaseIsRefused() throws Exception {
        Holdfast client = open(Holdfast.builder()
                .url(url())
                .defaults(LockOptions.defaults().ttl(Duration.ofSeconds(7)))
                .open());
        client.mutex("job").acquire().close();

        assertThatThrownBy(() -> client.mutex("job").acquire(ttl(Duration.ofSeconds(8))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("to 7000 ms");
    }

    /** A server that allows less than was asked for: its word counts. */
    @Test
    @Tag("slow")
    void aSessionThatTheServerShortensShortensTheLongestTtl() throws Exception {
        try (ZooKeeperServer strict = ZooKeeperServer.open(
                        ZooKeeperOptions.defaults().unflushed().option("maxSessionTimeout", "5000"));
                LockStore store = store(strict.url())) {
            assertThat(store.info().maxTtl()).hasSeconds(5);
        }
    }
}
