package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.TcpProxy;
import io.holdfast.zookeeper.delay.AbandonedDelays;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** L10: lock-delays, how they end, and how old ones are removed. */
class LockDelayTest extends OnSharedServer {
    /** L10: the holder's process disappears, and its successor waits out the delay. */
    @Test
    @Tag("slow")
    void theClaimAfterAHolderThatDisappearedWaitsOutItsLockDelay() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast holder = open(Holdfast.open(url(proxy) + "?session=2s&ioTimeout=200ms"));
        Holdfast next = open(Holdfast.open(url()));
        Lease lost = holder.mutex("job").acquire(ttl(Duration.ofSeconds(2)).lockDelay(Duration.ofSeconds(3)));
        CompletableFuture<Lease> waiting = next.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("it waits").until(() -> ephemerals() == 2);

        proxy.cut();
        await("the holder's node is gone").until(() -> ephemerals() == 1);
        long gone = System.nanoTime();

        Lease lease = waiting.get();
        assertThat(System.nanoTime() - gone)
                .isGreaterThan(Duration.ofMillis(2500).toNanos());
        assertThat(lease.token()).isGreaterThan(lost.token());
        lease.close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** L10, U17: the late release of the lost holder ends the delay; a clean release never begins one. */
    @Test
    @Tag("slow")
    void aLateReleaseEndsTheDelayAndACleanOneBeginsNone() throws Exception {
        Holdfast holder = open(Holdfast.open(url()));
        Holdfast next = open(Holdfast.open(url()));
        LockOptions delayed = ttl(Duration.ofSeconds(30)).lockDelay(Duration.ofMinutes(10));
        holder.mutex("job").acquire(delayed).close();
        assertThat(raw.nodes(root)).isEmpty();

        Lease lost = holder.mutex("job").acquire(delayed);
        String own = raw.nodes(root).stream()
                .filter(node -> node.contains("/x-"))
                .findFirst()
                .orElseThrow();
        CompletableFuture<Lease> waiting = next.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("it waits").until(() -> ephemerals() == 2);
        raw.zk.delete(own, -1);
        await("lost").until(() -> lost.state() == LeaseState.LOST);
        await("the delay runs")
                .until(() -> next.inspect("job").orElseThrow().lockDelay().toMinutes() > 5);
        assertThat(waiting).isNotDone();

        lost.close();

        waiting.get().close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** L10: the delay also ends for processes that try once and go: the first to see the loss writes it down. */
    @Test
    @Tag("slow")
    void clientsThatOnlyTryOnceGetThroughALockDelay() throws Exception {
        Holdfast holder = open(Holdfast.open(url()));
        holder.mutex("job").acquire(ttl(Duration.ofSeconds(30)).lockDelay(Duration.ofSeconds(2)));
        raw.zk.delete(
                raw.nodes(root).stream()
                        .filter(node -> node.contains("/x-"))
                        .findFirst()
                        .orElseThrow(),
                -1);
        AtomicInteger refused = new AtomicInteger();

        await("one of them gets it").until(() -> {
            try (Holdfast passing = Holdfast.open(url())) {
                boolean got = passing.mutex("job")
                        .tryAcquire()
                        .map(lease -> {
                            lease.close();
                            return true;
                        })
                        .orElse(false);
                refused.addAndGet(got ? 0 : 1);
                return got;
            }
        });
        assertThat(refused).hasPositiveValue();
    }

    /** Lock-delays of names that are never used again are removed by other claims that write one. */
    @Test
    void oldLockDelaysOfUnusedNamesAreRemoved() throws Exception {
        ZooKeeperLockStore store = (ZooKeeperLockStore) store(url());
        Holdfast client = client(store);
        store.locks().abandonedDelays().removeAfter(0);
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
            for (int i = 0; i < AbandonedDelays.EVERY; i++) {
                client.mutex("used").acquire(delayed).close();
            }
            return raw.nodes(root).isEmpty();
        });
    }

    private long ephemerals() throws Exception {
        return raw.nodes(root).stream().filter(node -> !node.contains("/d-")).count();
    }
}
