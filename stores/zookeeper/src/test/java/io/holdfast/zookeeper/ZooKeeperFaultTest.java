package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.MemoryGuard;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.ZooKeeperEnsemble;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.tck.TestTime;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real faults of a real ensemble of three: after each, the promises hold and no client is stuck. */
@Tag("slow")
class ZooKeeperFaultTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(60));
    /** Of sessions that a test lets end. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Test
    void aKilledLeaderCostsNoLeaseAndAllGoesOn() throws Exception {
        ZooKeeperEnsemble ensemble = ensemble(quick());
        Holdfast a = open(Holdfast.open(ensemble.url() + "?session=30s"));
        Holdfast b = open(Holdfast.open(ensemble.url() + "?session=30s"));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(20)));
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(ttl(Duration.ofSeconds(20)));
        await("b waits").until(() -> waiters(a) == 1);

        ensemble.leader().kill();

        ensemble.leader();
        await("held").until(() -> lease.state() == LeaseState.HELD && waiters(a) == 1);
        lease.ensureValid();
        assertThat(waiting).isNotDone();
        lease.close();
        Lease next = waiting.get();
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
    }

    /** The holder's member is alone: the holder knows of its loss before the others hand the lock on. */
    @Test
    void aHolderInTheMinorityHasLostItsLeaseBeforeAnotherHolds() throws Exception {
        ZooKeeperEnsemble ensemble = ensemble(quick());
        ZooKeeperServer minority = ensemble.follower();
        Holdfast a = open(Holdfast.open(url(minority) + "?session=3s&ioTimeout=300ms"));
        Holdfast b = open(Holdfast.open(others(ensemble, minority) + "?session=30s"));
        Lease lease = a.mutex("job").acquire(ttl(SHORT));
        AtomicBoolean two = new AtomicBoolean();
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        CompletableFuture<Void> looked = waiting.thenAccept(next -> two.set(isValid(lease)));
        await("b waits").until(() -> waiters(b) == 1);

        ensemble.isolate(minority);

        Lease next = waiting.get();
        looked.get();
        assertThat(two).as("two holders at a time").isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(next.token()).isGreaterThan(lease.token());
        MemoryGuard guard = MemoryGuard.of("stock", "job");
        guard.admit(next.sequencer());
        assertThatThrownBy(() -> guard.admit(lease.sequencer())).isInstanceOf(StaleTokenException.class);
        ensemble.rejoin(minority);
        next.close();
        await("a comes back").ignoreExceptions().until(() -> {
            a.mutex("job").acquire(ttl(SHORT)).close();
            return true;
        });
    }

    /**
     * U3: a follower that is cut off from its leader goes on answering pings and reads, but the leader has ended the
     * session and B holds. Only heartbeats that are writes make the holder notice in time.
     */
    @Test
    void aFollowerThatAnswersPingsWithoutItsLeaderDoesNotKeepALeaseAlive() throws Exception {
        // So patient a follower notices nothing for half a minute.
        ZooKeeperEnsemble ensemble = ensemble(quick().option("syncLimit", "150"));
        ZooKeeperServer cut = ensemble.follower();
        Holdfast a = open(Holdfast.open(url(cut) + "?session=3s"));
        Lease lease = a.mutex("job").acquire(ttl(SHORT));
        Holdfast b = open(Holdfast.open(others(ensemble, cut) + "?session=30s"));
        AtomicBoolean two = new AtomicBoolean();
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        CompletableFuture<Void> looked = waiting.thenAccept(next -> two.set(isValid(lease)));
        await("b waits").until(() -> waiters(b) == 1);

        ensemble.isolate(cut);

        Lease next = waiting.get();
        looked.get();
        assertThat(cut.fourLetters("srvr")).as("the follower still serves").contains("Mode: follower");
        assertThat(two).as("two holders at a time").isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        next.close();
    }

    @Test
    void aMajorityThatIsLostAndComesBackCostsNoOrphan() throws Exception {
        ZooKeeperEnsemble ensemble = ensemble(quick());
        Holdfast a = open(Holdfast.open(ensemble.url() + "?session=60s"));
        Lease lease = a.mutex("job").acquire(ttl(Duration.ofSeconds(60)));
        List<ZooKeeperServer> lost = ensemble.members().subList(0, 2);

        lost.forEach(ZooKeeperServer::kill);
        await("jeopardy").until(() -> lease.state() == LeaseState.JEOPARDY);
        CompletableFuture<Lease> other = a.mutex("other").acquireAsync(waitUpTo(PATIENCE));
        lost.forEach(ZooKeeperServer::launch);
        lost.forEach(ZooKeeperServer::awaitReady);

        await("held again").until(() -> lease.state() == LeaseState.HELD);
        other.get().close();
        assertThat(lease.release()).isEqualTo(io.holdfast.ReleaseOutcome.RELEASED);
        await("nothing is left").until(() -> a.list("", 10).isEmpty());
    }

    /** The pause of a garbage collection, written large: the guard refuses what the client does after it. */
    @Test
    void aClientThatWasPausedBeyondItsSessionIsRefusedByTheGuard() throws Exception {
        ZooKeeperServer server = open(ZooKeeperServer.open());
        Holdfast b = open(Holdfast.open(server.url()));
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HoldingProcess.class.getName(),
                        server.url() + "?session=3s")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        opened.push(() -> child.destroyForcibly().waitFor());
        BufferedReader output = child.inputReader();
        Sequencer stale = Sequencer.parse(output.readLine());
        signal("STOP", child);

        Lease next = b.mutex("job").acquire(waitUpTo(PATIENCE));
        MemoryGuard guard = MemoryGuard.of("stock", "job");
        guard.admit(next.sequencer());
        signal("CONT", child);
        child.getOutputStream().write('\n');
        child.getOutputStream().flush();

        assertThat(output.readLine())
                .as("what the client believes when it runs again")
                .isEqualTo("LOST");
        assertThat(stale.token()).isLessThan(next.token());
        assertThatThrownBy(() -> guard.admit(stale)).isInstanceOf(StaleTokenException.class);
        next.close();
    }

    /** Bursts of SIGSTOP, shorter than a session: no lease is lost and no two hold. */
    @Test
    void aMemberThatStallsInBurstsDoesNotBreakExclusion() throws Exception {
        ZooKeeperEnsemble ensemble = ensemble(quick());
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(open(Holdfast.open(ensemble.url() + "?session=30s")));
        }
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (Holdfast client : clients) {
            workers.add(CompletableFuture.runAsync(
                    () -> {
                        while (!stop.get()) {
                            turn(client, inside, most, turns);
                        }
                    },
                    task -> {
                        Thread thread = new Thread(task, "worker");
                        thread.setDaemon(true);
                        thread.start();
                    }));
        }
        for (int i = 0; i < 4; i++) {
            ZooKeeperServer stalled = ensemble.members().get(i % 3);
            int before = turns.get();
            stalled.pause();
            pass(Duration.ofMillis(700));
            stalled.resume();
            await("it goes on").until(() -> turns.get() > before + 5);
        }
        stop.set(true);
        CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).get();

        assertThat(most).hasValue(1);
        await("nothing is left").until(() -> clients.get(0).list("", 10).isEmpty());
    }

    /** Q1: five hundred waiters in the line of one name, of five clients, are served in their order. */
    @Test
    void fiveHundredWaitersAreServedInTheirOrder() throws Exception {
        ZooKeeperServer server = open(ZooKeeperServer.open());
        try (io.holdfast.tck.ContractWorld world =
                new io.holdfast.tck.ContractWorld(new ZooKeeperFixture(server, ""))) {
            List<io.holdfast.tck.ContractClient> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(world.client("c" + i));
            }
            io.holdfast.spi.Claim first = io.holdfast.tck.Ask.exclusive("job").claim();
            clients.get(0).granted(first);
            Queue<Integer> served = new ConcurrentLinkedQueue<>();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                int number = i;
                io.holdfast.tck.ContractClient client = clients.get(i % 5);
                io.holdfast.spi.Claim claim =
                        io.holdfast.tck.Ask.exclusive("job").claim();
                all.add(client.queued(claim)
                        .granted()
                        .thenCompose(grant -> {
                            served.add(number);
                            return client.store().release(claim);
                        })
                        .thenAccept(released -> {})
                        .toCompletableFuture());
            }
            assertThat(clients.get(0).status("job").waiting()).isEqualTo(500);

            clients.get(0).released(first);

            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                    .get(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
            assertThat(List.copyOf(served)).hasSize(500).isSorted();
            clients.get(0).nothingLeft("job");
        }
    }

    private static void turn(Holdfast client, AtomicInteger inside, AtomicInteger most, AtomicInteger turns) {
        try (Lease lease = client.mutex("job").acquire(waitUpTo(PATIENCE))) {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            lease.ensureValid();
            turns.incrementAndGet();
            inside.decrementAndGet();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isValid(Lease lease) {
        try {
            lease.ensureValid();
            return true;
        } catch (io.holdfast.LeaseLostException e) {
            return false;
        }
    }

    private static int waiters(Holdfast client) {
        try {
            return client.inspect("job").orElseThrow().waiting();
        } catch (io.holdfast.StoreUnavailableException e) {
            return -1;
        }
    }

    private static ZooKeeperOptions quick() {
        return ZooKeeperOptions.defaults().unflushed().tick(Duration.ofMillis(200));
    }

    private ZooKeeperEnsemble ensemble(ZooKeeperOptions options) {
        return open(ZooKeeperEnsemble.open(3, options));
    }

    private String url(ZooKeeperServer server) {
        TcpProxy proxy = open(TcpProxy.to(server));
        return "zk://127.0.0.1:" + proxy.port();
    }

    private static String others(ZooKeeperEnsemble ensemble, ZooKeeperServer not) {
        return "zk://"
                + String.join(
                        ",",
                        ensemble.members().stream()
                                .filter(member -> member != not)
                                .map(ZooKeeperServer::address)
                                .toList());
    }

    private static LockOptions ttl(Duration ttl) {
        return waitUpTo(PATIENCE).ttl(ttl);
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void pass(Duration time) {
        long start = System.nanoTime();
        await(time + " have passed").until(() -> System.nanoTime() - start >= time.toNanos());
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }

    private <T extends AutoCloseable> T open(T value) {
        opened.push(value);
        return value;
    }
}
