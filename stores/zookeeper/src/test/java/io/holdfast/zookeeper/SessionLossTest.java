package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.servers.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lost connections and ended sessions: JEOPARDY, LOST in time, and a new session afterwards. */
@Tag("slow")
class SessionLossTest extends OnSharedServer {
    /** The server ended the session: LOST at once, not at the local deadline. */
    @Test
    void anExpiredSessionIsALossAtOnce() throws Exception {
        RawClient mine = open(RawClient.to(server().address(), 30_000));
        Holdfast client = client(ZooKeeperLockStore.over(mine.zk, root, ""));
        Lease lease = client.mutex("job").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(30)));
        AtomicReference<Loss> loss = new AtomicReference<>();
        lease.onLost(loss::set);

        CountDownLatch twin = new CountDownLatch(1);
        ZooKeeper same = new ZooKeeper(
                server().address(),
                30_000,
                event -> twin.countDown(),
                mine.zk.getSessionId(),
                mine.zk.getSessionPasswd());
        twin.await();
        same.close();

        await("lost").until(() -> loss.get() != null);
        // At its local deadline it would have been EXPIRED.
        assertThat(Objects.requireNonNull(loss.get()).reason()).isEqualTo(LossReason.GONE);
        assertThatThrownBy(() -> client.mutex("other").acquire(waitUpTo(Duration.ofMillis(200))))
                .hasMessageContaining("no session");
    }

    /** Disconnected is JEOPARDY; connected again in time is safe again, under the same token. */
    @Test
    void aLostConnectionIsJeopardyAndAReconnectIsSafe() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=20s"));
        Lease lease = client.mutex("job").acquire(ttl(Duration.ofSeconds(20)));
        List<String> nodes = raw.nodes(root);

        proxy.refuseConnections();
        proxy.closeConnections();
        await("jeopardy").until(() -> lease.state() == LeaseState.JEOPARDY);
        lease.ensureValid();
        proxy.acceptConnections();

        await("held again").until(() -> lease.state() == LeaseState.HELD);
        assertThat(raw.nodes(root)).isEqualTo(nodes);
        lease.close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** The local deadline ends the lease before the server ends the session, and another session follows. */
    @Test
    void aConnectionThatStaysAwayLosesTheLeaseBeforeItsNodeIsGone() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=3s&ioTimeout=300ms"));
        Lease lease = client.mutex("job").acquire(ttl(Duration.ofSeconds(3)));
        AtomicInteger nodesAtLoss = new AtomicInteger(-1);
        lease.onLost(loss -> {
            try {
                nodesAtLoss.set(raw.nodes(root).size());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        proxy.cut();

        await("lost").until(() -> nodesAtLoss.get() >= 0);
        assertThat(nodesAtLoss).hasValue(1);
        await("the session is over").until(() -> raw.nodes(root).isEmpty());
        proxy.closeConnections();
        proxy.restore();
        await("a new session").ignoreExceptions().until(() -> {
            client.mutex("job").acquire(ttl(Duration.ofSeconds(3))).close();
            return true;
        });
    }
}
