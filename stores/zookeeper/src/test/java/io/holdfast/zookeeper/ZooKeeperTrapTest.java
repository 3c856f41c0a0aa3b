package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.ReleaseOutcome;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.ContractWorld;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The traps of locks in ZooKeeper that others have fallen into, each on a real server. */
@Tag("slow")
class ZooKeeperTrapTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final AtomicInteger ROOTS = new AtomicInteger();
    private static final List<ACL> OPEN =
            new java.util.ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"))));
    private static ZooKeeperServer server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private String root = "";
    private RawClient raw;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.open(
                ZooKeeperOptions.defaults().unflushed().property("znode.container.checkIntervalMs", "300"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void look() throws Exception {
        root = "/trap-" + ROOTS.incrementAndGet();
        raw = open(RawClient.to(server));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    /** L2: created, but the reply was lost: the node is found by its holder id, and there are never two. */
    @Test
    void aNodeWhoseCreationWasNotAnsweredIsFoundAgainAndIsTheOnlyOne() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=20s"));
        client.mutex("job").acquire().close();
        proxy.replies().drop();
        CompletableFuture<Lease> acquiring = client.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("the node is there").until(() -> raw.nodes(root).size() == 1);
        List<String> created = raw.nodes(root);

        proxy.restore();

        Lease lease = acquiring.get();
        assertThat(raw.nodes(root)).isEqualTo(created);
        assertThat(lease.token()).isEqualTo(stat(created.get(0)).getCzxid() << 8);
        lease.close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** L2: a creation that never arrived is repeated after the sync showed that there is none. */
    @Test
    void aCreationThatWasLostIsRepeatedOnce() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
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
    void aThreadThatWaitsForItsNodeFindsItOrMakesItOnce() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
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
                        .isEqualTo(stat(raw.nodes(root).get(0)).getCzxid());
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
    void aReleaseThatWasLostIsRepeatedWhenTheConnectionIsBack() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=300ms"));
        Lease lease = client.mutex("job").acquire();
        proxy.requests().drop();
        lease.release();
        assertThat(raw.nodes(root)).hasSize(1);

        proxy.restore();

        await("the node is gone").until(() -> raw.nodes(root).isEmpty());
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
    }

    /** L2: deleted, but the reply was lost: whoever waits is told in time that it is unknown, and it is not twice. */
    @Test
    void aReleaseThatIsNotAnsweredIsUnknownInTimeAndIsKnownLater() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
        Holdfast client = open(Holdfast.open(url(proxy) + "?session=30s&ioTimeout=300ms"));
        Lease lease = client.mutex("job").acquire();
        proxy.replies().drop();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(raw.nodes(root)).isEmpty();

        proxy.restore();
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
        assertThat(raw.nodes(root)).isEmpty();
    }

    /** Whoever is interrupted before or during a release has released, and is interrupted still. */
    @Test
    void anInterruptDuringAReleaseLeavesNoOrphan() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
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

    /** CURATOR-604: a node of a dead session with the same id is not a grant. */
    @Test
    void aNodeOfAnotherSessionIsNoGrantWhateverItsName() throws Exception {
        try (ContractWorld world = new ContractWorld(new ZooKeeperFixture(server, ""))) {
            LockStore store = open(open(""));
            ContractClient client = attached(world, store);
            client.granted(Ask.exclusive("other").claim());
            Claim claim = Ask.exclusive("job").claim();
            raw.zk.create(root + "/names/job", new byte[0], OPEN, CreateMode.PERSISTENT);
            raw.zk.create(
                    root + "/names/job/" + NodeName.prefix(claim),
                    ClaimData.of(claim, "another store"),
                    OPEN,
                    CreateMode.EPHEMERAL_SEQUENTIAL);

            client.refused(claim);

            assertThat(raw.children(root + "/names/job")).hasSize(1);
        }
    }

    /** Interrupts and timeouts at every moment, with an answer that takes its time. */
    @Test
    void whoGivesUpAtAnyMomentLeavesNoOrphan() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
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

    /** The server ended the session: LOST at once, not at the local deadline. */
    @Test
    void anExpiredSessionIsALossAtOnce() throws Exception {
        RawClient mine = open(RawClient.to(server.address(), 30_000));
        Holdfast client = open(Holdfast.builder()
                .store(ZooKeeperLockStore.over(mine.zk, root, ""))
                .open());
        Lease lease = client.mutex("job").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(30)));
        AtomicReference<Loss> loss = new AtomicReference<>();
        lease.onLost(loss::set);

        CountDownLatch twin = new CountDownLatch(1);
        ZooKeeper same = new ZooKeeper(
                server.address(),
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
        TcpProxy proxy = open(TcpProxy.to(server));
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
        TcpProxy proxy = open(TcpProxy.to(server));
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

    /** U4: the own node's deletion by an operator is LOST at once. */
    @Test
    void theDeletionOfTheOwnNodeIsALossAtOnce() throws Exception {
        Holdfast client = open(Holdfast.open(url() + "?session=60s"));
        Lease lease = client.mutex("job").acquire(ttl(Duration.ofSeconds(60)));

        raw.zk.delete(raw.nodes(root).get(0), -1);

        await("lost").atMost(TestTime.scaled(Duration.ofSeconds(10))).until(() -> lease.state() == LeaseState.LOST);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(io.holdfast.LeaseLostException.class);
    }

    /** U4: a waiter whose node was deleted is not granted the lock; it stands in line anew. */
    @Test
    void aWaiterWhoseNodeWasDeletedStandsInLineAnew() throws Exception {
        Holdfast a = open(Holdfast.open(url()));
        Holdfast b = open(Holdfast.open(url()));
        Lease held = a.mutex("job").acquire();
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("b waits").until(() -> raw.nodes(root).size() == 2);
        String first = raw.nodes(root).stream()
                .max(java.util.Comparator.comparing(node -> node.substring(node.length() - 10)))
                .orElseThrow();

        raw.zk.delete(first, -1);

        await("b waits again")
                .until(() -> raw.nodes(root).size() == 2 && !raw.nodes(root).contains(first));
        assertThat(waiting).isNotDone();
        held.close();
        waiting.get().close();
    }

    /** L2: an ephemeral node of the session that nobody owns would keep the name locked for as long as it lives. */
    @Test
    void aNodeOfTheOwnSessionThatNobodyOwnsIsSweptAfterAReconnect() throws Exception {
        RawClient mine = open(RawClient.to(server.address(), 30_000));
        SessionStore<?> store = (SessionStore<?>) ZooKeeperLockStore.over(mine.zk, root, "");
        Holdfast client = open(Holdfast.builder().store(store).open());
        Lease held = client.mutex("job").acquire();
        Claim orphan = Ask.exclusive("job").claim();
        mine.zk.create(
                root + "/names/job/" + NodeName.prefix(orphan),
                ClaimData.of(orphan, store.id),
                OPEN,
                CreateMode.EPHEMERAL_SEQUENTIAL);

        mine.zk.getTestable().closeSocket();

        await("it is swept").until(() -> raw.nodes(root).size() == 1);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
    }

    /** Parents are containers, which disappear; tokens rise all the same. */
    @Test
    void theNodeOfAnIdleNameDisappearsAndTokensStillRise() throws Exception {
        Holdfast client = open(Holdfast.open(url()));
        Lease first = client.mutex("job").acquire();
        first.close();
        await("the container is gone").until(() -> raw.children(root + "/names").isEmpty());

        Lease second = client.mutex("job").acquire();

        assertThat(second.token()).isGreaterThan(first.token());
        second.close();
    }

    /** A session has one timeout: it is chosen from the default TTL, and what it cannot keep is refused. */
    @Test
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
    void aSessionThatTheServerShortensShortensTheLongestTtl() throws Exception {
        try (ZooKeeperServer strict = ZooKeeperServer.open(
                        ZooKeeperOptions.defaults().unflushed().option("maxSessionTimeout", "5000"));
                LockStore store = new ZooKeeperStoreProvider()
                        .open(
                                io.holdfast.spi.StoreUrl.parse(strict.url()),
                                new io.holdfast.spi.StoreProvider.Settings("", Duration.ofSeconds(30)))) {
            assertThat(store.info().maxTtl()).hasSeconds(5);
        }
    }

    /** L10: the holder's process disappears, and its successor waits out the delay. */
    @Test
    void whoFollowsAHolderThatDisappearedWaitsOutItsLockDelay() throws Exception {
        TcpProxy proxy = open(TcpProxy.to(server));
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

    /** One round trip for an acquire, whose two requests do not wait for each other's answers, and one for a release. */
    @Test
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
        // One more if it took 50 ms to get here: the watch of the own node. And one for the second turn in a row on a
        // name that nobody else uses: the watch of its parent.
        assertThat(received(quiet) - before - question).isBetween(1L, 3L);
    }

    private static long received(ZooKeeperServer server) {
        return Long.parseLong(Objects.requireNonNull(server.monitor().get("zk_packets_received")));
    }

    /** The hot name: local passes and the watch of the predecessor only. */
    @Test
    void twoHundredWaitersOfOneClientAreSilentAndAHandOffTakesAtMostFourPackets() throws Exception {
        try (ZooKeeperServer quiet = ZooKeeperServer.open()) {
            Holdfast other = open(Holdfast.open(quiet.url() + root + "?session=10m"));
            Holdfast client = open(Holdfast.open(quiet.url() + root + "?session=10m"));
            Lease held = other.mutex("hot").acquire();
            java.util.concurrent.BlockingQueue<Lease> entered = new java.util.concurrent.LinkedBlockingQueue<>();
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
                Lease next = entered.poll(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
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

    /** Spans are granted over this store, and threads of one client pass the lease without it (U5). */
    @Test
    void threadsOfOneClientPassTheLeaseUnderTheTokensOfOneSpan() throws Exception {
        Holdfast client = open(Holdfast.open(url()));
        java.util.Set<Long> grants = java.util.concurrent.ConcurrentHashMap.newKeySet();
        java.util.Queue<Long> tokens = new java.util.concurrent.ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 500; i++) {
            all.add(client.mutex("hot").acquireAsync(waitUpTo(PATIENCE)).thenAccept(lease -> {
                tokens.add(lease.token());
                grants.add(lease.token() >> 8);
                lease.close();
            }));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();

        assertThat(List.copyOf(tokens)).hasSize(500).isSorted().doesNotHaveDuplicates();
        assertThat(grants).hasSizeLessThan(250);
    }

    /** Unlike the sequence, names of claims order by signed difference (U20). */
    @Test
    void theOrderSurvivesTheOverflowOfTheSequence() {
        HolderId holder = new HolderId(1, 2, 3);
        NodeName last = Objects.requireNonNull(NodeName.parse("x-" + holder + "-2147483647"));
        NodeName next = Objects.requireNonNull(NodeName.parse("x-" + holder + "--2147483648"));
        NodeName later = Objects.requireNonNull(NodeName.parse("x-" + holder + "--000000001"));

        assertThat(NodeName.compare(last, next)).isNegative();
        assertThat(NodeName.compare(next, last)).isPositive();
        assertThat(NodeName.compare(next, later)).isNegative();
        assertThat(Line.of(List.of(next.text(), last.text())).granted()).containsExactly(last);
    }

    private long ephemerals() throws Exception {
        return raw.nodes(root).stream().filter(node -> !node.contains("/d-")).count();
    }

    private Stat stat(String path) throws Exception {
        return raw.zk.exists(path, false);
    }

    private static LockOptions ttl(Duration ttl) {
        return waitUpTo(PATIENCE).ttl(ttl);
    }

    private String url() {
        return server.url() + root;
    }

    private String url(TcpProxy proxy) {
        return "zk://127.0.0.1:" + proxy.port() + root;
    }

    private LockStore open(String options) {
        return new ZooKeeperStoreProvider()
                .open(
                        io.holdfast.spi.StoreUrl.parse(url() + options),
                        new io.holdfast.spi.StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    private static ContractClient attached(ContractWorld world, LockStore store) {
        TestTime time = world.fixture().time();
        store.attach(new io.holdfast.spi.StoreContext(
                time.ticker(), time.scheduler(), Runnable::run, ThreadLocalRandom.current(), new Deaf()));
        return new ContractClient(store);
    }

    /** Hears nothing. */
    private static final class Deaf implements io.holdfast.spi.StoreSignals {
        @Override
        public void lost(HolderId holder, LossReason reason) {}

        @Override
        public void disconnected() {}

        @Override
        public void connected() {}
    }

    private static void pause(int millis) {
        long start = System.nanoTime();
        await(millis + " ms have passed")
                .pollInterval(Duration.ofMillis(1))
                .until(() -> System.nanoTime() - start >= millis * 1_000_000L);
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(10));
    }

    private <T extends AutoCloseable> T open(T value) {
        opened.push(value);
        return value;
    }
}
