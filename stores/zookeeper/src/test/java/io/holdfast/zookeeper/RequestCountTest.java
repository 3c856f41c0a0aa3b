package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.ZooKeeperServer;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many requests a lock costs, counted on servers that no other test uses. */
class RequestCountTest extends OnSharedServer {
    /** One round trip for an acquire, whose two requests do not wait for each other's answers, and one for a release. */
    @Test
    @Tag("slow")
    void anAcquireSendsBothItsRequestsAtOnceAndAReleaseIsOne() throws Exception {
        ZooKeeperServer quiet = open(ZooKeeperServer.open());
        TcpProxy proxy = open(TcpProxy.to(quiet));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=10m"));
        client.mutex("job").acquire().close();
        long first = received(quiet);
        long question = received(quiet) - first;
        long start = received(quiet);
        AtomicInteger questions = new AtomicInteger();
        proxy.replies().cut();

        CompletableFuture<Lease> acquiring = client.mutex("job").acquireAsync(waitUpTo(PATIENCE));

        await("both requests have arrived")
                .until(() -> received(quiet) - start - question * questions.incrementAndGet() >= 2);
        assertThat(acquiring).isNotDone();
        proxy.restore();
        Lease lease = acquiring.get();
        long before = received(quiet);
        lease.close();
        // One more if it took 50 ms to get here: the watch of the own node.
        assertThat(received(quiet) - before - question).isBetween(1L, 2L);
    }

    /** The hot name: local passes and the watch of the predecessor only. */
    @Test
    @Tag("slow")
    void twoHundredWaitersOfOneClientAreSilentAndAHandOffTakesAtMostFourPackets() throws Exception {
        try (ZooKeeperServer quiet = ZooKeeperServer.open()) {
            Holdfast other = open(Holdfast.open(quiet.url() + root + "?session=10m"));
            Holdfast client = open(Holdfast.open(quiet.url() + root + "?session=10m"));
            Lease held = other.mutex("hot").acquire();
            BlockingQueue<Lease> entered = new LinkedBlockingQueue<>();
            for (int i = 0; i < 200; i++) {
                client.mutex("hot").acquireAsync(waitUpTo(PATIENCE).handoffs(0)).thenAccept(entered::add);
            }
            await("they wait").until(() -> client.inspect("hot").orElseThrow().waiting() == 1);
            pause(300);
            quiet.resetStats();
            pause(1500);
            assertThat(quiet.packets())
                    .as("packets while waiting, those of the question included")
                    .isLessThan(8);

            quiet.resetStats();
            held.close();
            long slow = 0;
            long before = System.nanoTime();
            for (int i = 0; i < 200; i++) {
                Lease next = entered.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(next).as("waiter %s", i).isNotNull();
                next.close();
                long now = System.nanoTime();
                slow += now - before > 30_000_000 ? 1 : 0;
                before = now;
            }
            // A lease that lives for 50 ms gets a watch: a request, its answer, and the event of its end.
            assertThat(quiet.packets())
                    .as("packets of 200 hand-offs, of which %s were slow", slow)
                    .isBetween(200L, 200L * 4 + 3 * slow + 20);
        }
    }

    @Test
    void anUncontendedLockCostsThreeRequests() throws Exception {
        ZooKeeperServer quiet = open(ZooKeeperServer.open());
        Holdfast client = open(Holdfast.open(quiet.url() + root + "?session=10m"));
        for (int i = 0; i < 6; i++) {
            client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
        }
        long first = received(quiet);
        long question = received(quiet) - first;
        long before = received(quiet);
        long slow = 0;
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
            slow += System.nanoTime() - start > 30_000_000 ? 1 : 0;
        }
        // A creation, a list and a deletion: six packets per pair, and the bar is seven. A lease that lives for 50 ms
        // gets a watch of its own node.
        assertThat(received(quiet) - before - question)
                .as("requests of 20 locks, of which %s were slow", slow)
                .isBetween(60L, 60 + slow + 3);
    }

    private static long received(ZooKeeperServer server) {
        return Long.parseLong(Objects.requireNonNull(server.monitor().get("zk_packets_received")));
    }
}
