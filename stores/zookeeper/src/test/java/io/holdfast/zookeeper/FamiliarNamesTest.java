package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names that one client uses again and again, whose nodes are not listed: on a real server. */
class FamiliarNamesTest {
    private static final LockOptions PATIENT = waitUpTo(TestTime.scaled(Duration.ofSeconds(30)));
    private static final AtomicInteger ROOTS = new AtomicInteger();
    private static final int TURNS = 6;
    private static ZooKeeperServer server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private String root = "";
    private RawClient raw;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.open();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void look() throws Exception {
        root = "/familiar-" + ROOTS.incrementAndGet();
        raw = open(RawClient.to(server));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Test
    void aNameThatNobodyElseUsesCostsTwoRequestsPerLock() throws Exception {
        Holdfast client = client();
        turns(client, TURNS);
        long first = received();
        long question = received() - first;
        long before = received();
        long slow = 0;
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            turns(client, 1);
            slow += System.nanoTime() - start > 30_000_000 ? 1 : 0;
        }
        // A lease that lives for 50 ms gets a watch of its own node.
        assertThat(received() - before - question)
                .as("requests of 20 locks, of which %s were slow", slow)
                .isBetween(40L, 40 + slow + 3);
    }

    /** Whatever is below the name counts: here a lock-delay that a holder left behind. */
    @Test
    void aLockDelayWithoutItsHolderIsNoEmptyLine() throws Exception {
        Holdfast a = client();
        Holdfast b = client();
        turns(b, TURNS);
        Lease lost = a.mutex("job").acquire(PATIENT.lockDelay(Duration.ofMinutes(10)));
        raw.zk.delete(
                raw.nodes(root).stream()
                        .filter(node -> node.contains("/x-"))
                        .findFirst()
                        .orElseThrow(),
                -1);

        assertThat(b.mutex("job").tryAcquire()).isEmpty();

        lost.close();
        b.mutex("job").acquire(PATIENT).close();
    }

    @Test
    void aStrangerWhoCameBeforeIsWaitedForAndOneWhoComesLaterWaits() throws Exception {
        Holdfast a = client();
        Holdfast b = client();
        turns(a, TURNS);
        Lease stranger = b.mutex("job").acquire(PATIENT);

        CompletableFuture<Lease> waiting = a.mutex("job").acquireAsync(PATIENT);
        await("a waits").until(() -> b.inspect("job").orElseThrow().waiting() == 1);
        assertThat(waiting).isNotDone();
        stranger.close();
        Lease lease = waiting.get();
        assertThat(lease.token()).isGreaterThan(stranger.token());

        CompletableFuture<Lease> next = b.mutex("job").acquireAsync(PATIENT);
        await("b waits").until(() -> b.inspect("job").orElseThrow().waiting() == 1);
        assertThat(next).isNotDone();
        lease.close();
        next.get().close();
        turns(a, TURNS);
    }

    /** The new parent counts from 0, and a stranger stands there just when the next number is the expected one. */
    @Test
    void aParentThatWasDeletedAndMadeAgainIsNotTheFamiliarOne() throws Exception {
        Holdfast a = client();
        Holdfast b = client();
        turns(a, TURNS);
        raw.zk.delete(root + "/names/job", -1);
        turns(b, TURNS - 1);
        Lease stranger = b.mutex("job").acquire(PATIENT);

        CompletableFuture<Lease> waiting = a.mutex("job").acquireAsync(PATIENT);

        await("a has a node").until(() -> raw.nodes(root).size() == 2);
        List<String> numbers = raw.nodes(root).stream()
                .map(node -> node.substring(node.lastIndexOf('-') + 1))
                .sorted()
                .toList();
        assertThat(numbers).as("a has the number that it expected").endsWith(String.format("%010d", TURNS));
        // Whatever a was told about its node it knows by now: it answers a question that was asked later.
        assertThat(a.inspect("job").orElseThrow().waiting()).isEqualTo(1);
        assertThat(waiting).isNotDone();
        stranger.close();
        waiting.get().close();
    }

    /**
     * As before, and the event that tells of it is not delivered: the answer to the new node, for which a thread waits
     * in ZooKeeper's client itself, overtakes it.
     */
    @Test
    void aParentThatWasMadeAgainIsNotTheFamiliarOneEvenIfTheEventIsLate() throws Exception {
        ZooKeeperLockStore store = store();
        Holdfast a = open(Holdfast.builder().store(store).open());
        Holdfast b = client();
        turns(a, TURNS);
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        keepEventThreadBusy(store, busy, goOn);
        busy.await();
        raw.zk.delete(root + "/names/job", -1);
        turns(b, TURNS - 1);
        Lease stranger = b.mutex("job").acquire(PATIENT);

        CompletableFuture<Lease> waiting = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                waiting.complete(a.mutex("job").acquire(PATIENT));
            } catch (InterruptedException | RuntimeException e) {
                waiting.completeExceptionally(e);
            }
        });
        thread.start();
        await("a has a node").until(() -> raw.nodes(root).size() == 2);
        // It has read the answer by now: it is not in ZooKeeper's client any more.
        await("a waits for a list").until(() -> parked(thread));
        assertThat(waiting).isNotDone();
        goOn.countDown();
        await("a waits in line").until(() -> b.inspect("job").orElseThrow().waiting() == 1);
        assertThat(waiting).isNotDone();
        stranger.close();
        waiting.get().close();
    }

    /** A watch that is told of this node and does not return. */
    private void keepEventThreadBusy(ZooKeeperLockStore store, CountDownLatch busy, CountDownLatch goOn)
            throws Exception {
        String bell = root + "/bell";
        raw.zk.create(bell, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        Objects.requireNonNull(store.sessions.current()).zk.exists(bell, event -> {
            busy.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        raw.zk.setData(bell, new byte[] {1}, -1);
    }

    private static boolean parked(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith("org.apache.zookeeper.")) {
                return false;
            }
        }
        return thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void threadsOfOneClientExcludeEachOtherWithAndWithoutLocalPasses() throws Exception {
        Holdfast client = client();
        turns(client, TURNS);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(client.mutex("job").acquireAsync(PATIENT.handoffs(i % 3)).thenAccept(lease -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
                lease.close();
            }));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();

        assertThat(most).hasValue(1);
        assertThat(raw.nodes(root)).isEmpty();
    }

    private static void turns(Holdfast client, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            client.mutex("job").acquire(PATIENT).close();
        }
    }

    private static long received() {
        return Long.parseLong(Objects.requireNonNull(server.monitor().get("zk_packets_received")));
    }

    private Holdfast client() {
        return open(Holdfast.open(server.url() + root + "?session=10m"));
    }

    private ZooKeeperLockStore store() {
        return (ZooKeeperLockStore) new ZooKeeperStoreProvider()
                .open(
                        StoreUrl.parse(server.url() + root + "?session=10m"),
                        new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what)
                .atMost(TestTime.scaled(Duration.ofSeconds(30)))
                .pollInterval(Duration.ofMillis(10));
    }

    private <T extends AutoCloseable> T open(T value) {
        opened.push(value);
        return value;
    }
}
