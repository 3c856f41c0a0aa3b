package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.ReleaseOutcome;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.tck.Ask;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.NodeName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** L2: requests whose answers were lost, and callers that give up: one node per claim, and none that stays. */
class UnknownOutcomeTest extends OnSharedServer {
    /** L2: created, but the reply was lost: the node is found by its holder id, and there are never two. */
    @Test
    @Tag("slow")
    void aNodeWhoseCreationWasNotAnsweredIsFoundAgainAndIsTheOnlyOne() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=20s"));
        client.mutex("job").acquire().close();
        proxy.replies().drop();
        CompletableFuture<Lease> acquiring = client.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("the node is there").until(() -> raw.nodes(root).size() == 1);
        List<String> created = raw.nodes(root);

        proxy.restore();

        Lease lease = acquiring.get();
        assertThat(raw.nodes(root)).isEqualTo(created);
        assertThat(lease.token()).isEqualTo(raw.zk.exists(created.get(0), false).getCzxid() << 8);
        lease.close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** L2: a creation that never arrived is repeated after the sync showed that there is none. */
    @Test
    @Tag("slow")
    void aCreationThatWasLostIsRepeatedOnce() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=20s"));
        client.mutex("job").acquire().close();
        proxy.requests().drop();
        CompletableFuture<Lease> acquiring = client.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("something was lost").until(() -> proxy.requests().dropped() > 0);

        proxy.restore();

        Lease lease = acquiring.get();
        assertThat(raw.nodes(root)).hasSize(1);
        lease.close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** The same for a thread that blocks in {@code acquire}: lost requests, lost replies, interrupts. */
    @Test
    @Tag("slow")
    void aThreadThatWaitsForItsNodeFindsItOrMakesItOnce() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=400ms"));
        for (int i = 0; i < 6; i++) {
            for (int familiar = 0; familiar < 6; familiar++) {
                client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
            }
            boolean interrupts = i % 3 == 2;
            AtomicReference<Object> outcome = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                try {
                    outcome.set(client.mutex("job").acquire(waitUpTo(PATIENCE)));
                    while (interrupts && !Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                    }
                } catch (InterruptedException | RuntimeException e) {
                    outcome.set(e);
                }
            });
            if (interrupts) {
                proxy.replies().delay(Duration.ofMillis(100));
            } else if (i % 3 == 1) {
                proxy.replies().drop();
            } else {
                proxy.requests().drop();
            }
            thread.start();
            pause(20 + 10 * i);
            if (interrupts) {
                thread.interrupt();
            }
            proxy.restore();
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive())
                    .as("it waits still, or does not see its interrupt")
                    .isFalse();
            if (outcome.get() instanceof Lease lease) {
                await("it has one node").until(() -> raw.nodes(root).size() == 1);
                assertThat(lease.token() >> 8)
                        .isEqualTo(raw.zk.exists(raw.nodes(root).get(0), false).getCzxid());
                lease.close();
            } else {
                assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
                assertThat(interrupts).isTrue();
            }
            await("nothing is left").until(() -> raw.nodes(root).isEmpty());
        }
    }

    /** L2: a deletion that was not answered is repeated for as long as the session lives. */
    @Test
    @Tag("slow")
    void aReleaseThatWasLostIsRepeatedWhenTheConnectionIsBack() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=300ms"));
        Lease lease = client.mutex("job").acquire();
        proxy.requests().drop();
        lease.release();
        assertThat(raw.nodes(root)).hasSize(1);

        proxy.restore();

        await("the node is gone").until(() -> raw.nodes(root).isEmpty());
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
    }

    /** L2: deleted, but the reply was lost: the caller is told in time that the outcome is unknown. */
    @Test
    @Tag("slow")
    void aReleaseThatIsNotAnsweredIsUnknownInTimeAndIsKnownLater() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=300ms"));
        Lease lease = client.mutex("job").acquire();
        proxy.replies().drop();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(raw.nodes(root)).isEmpty();

        proxy.restore();
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** A thread that is interrupted before or during a release has released, and is still interrupted. */
    @Test
    @Tag("slow")
    void anInterruptDuringAReleaseLeavesNoOrphan() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy)));
        for (int i = 0; i < 10; i++) {
            Lease lease = client.mutex("job").acquire(waitUpTo(PATIENCE));
            proxy.replies().delay(Duration.ofMillis(50));
            AtomicReference<ReleaseOutcome> outcome = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                outcome.set(lease.release());
                while (!Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                }
            });
            thread.start();
            pause(i * 3);
            thread.interrupt();
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive()).as("it does not see its interrupt").isFalse();
            assertThat(outcome.get()).isEqualTo(ReleaseOutcome.RELEASED);
            proxy.restore();
        }
        await("nothing is left").until(() -> raw.nodes(root).isEmpty());
    }

    /** Interrupts and timeouts at every moment, with an answer that takes its time. */
    @Test
    @Tag("slow")
    void aCallerThatGivesUpAtAnyMomentLeavesNoOrphan() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server()));
        Holdfast client = open(Holdfast.open(url(proxy)));
        client.mutex("job").acquire().close();
        proxy.replies().delay(Duration.ofMillis(8));
        for (int i = 0; i < 40; i++) {
            CompletableFuture<Lease> one = client.mutex("job").acquireAsync(waitUpTo(PATIENCE));
            CompletableFuture<Lease> two = client.mutex("job").acquireAsync(waitUpTo(Duration.ofMillis(i % 20)));
            pause(ThreadLocalRandom.current().nextInt(30));
            one.cancel(true);
            two.cancel(true);
            one.thenAccept(Lease::close);
            two.thenAccept(Lease::close);
        }
        await("nothing is left").until(() -> raw.nodes(root).isEmpty());
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
    }

    /** L2: an ephemeral node that belongs to no claim would keep the name locked for as long as the session lives. */
    @Test
    @Tag("slow")
    void aNodeThatBelongsToNoClaimIsSweptAfterAReconnect() throws Exception {
        RawClient mine = open(RawClient.to(server().address(), 30_000));
        ZooKeeperLockStore store = (ZooKeeperLockStore) ZooKeeperLockStore.over(mine.zk, root, "");
        Holdfast client = client(store);
        Lease held = client.mutex("job").acquire();
        Claim orphan = Ask.exclusive("job").claim();
        mine.zk.create(
                root + "/names/job/" + NodeName.prefix(orphan),
                ClaimData.of(orphan, store.id()),
                OPEN,
                CreateMode.EPHEMERAL_SEQUENTIAL);

        mine.zk.getTestable().closeSocket();

        await("it is swept").until(() -> raw.nodes(root).size() == 1);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
    }

    /** L2: after a reconnect a store sweeps its own nodes, not those of another store over the same client. */
    @Test
    void twoStoresOverOneClientLeaveEachOthersNodesAloneAfterAReconnect() throws Exception {
        RawClient mine = open(RawClient.to(server().address(), 30_000));
        Holdfast one = client(ZooKeeperLockStore.over(mine.zk, root, ""));
        Holdfast two = client(ZooKeeperLockStore.over(mine.zk, root, ""));
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
}
