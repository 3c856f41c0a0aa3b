package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
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
