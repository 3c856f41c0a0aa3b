package io.holdfast.etcd;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.etcd.EtcdGuard;
import io.holdfast.servers.EtcdCluster;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.TcpProxy;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real faults of a real cluster of three: after each, the promises hold and no waiter is stuck. */
@Tag("slow")
class EtcdFaultTest {
    private final Kit kit = new Kit();
    private EtcdCluster cluster;

    @BeforeEach
    void open() {
        cluster = kit.opening(EtcdCluster.open(3));
    }

    @AfterEach
    void closeAll() throws Exception {
        kit.close();
    }

    @Test
    @DisplayName("the leader is killed: the lease is held on, and the waiter gets the lock from it")
    void theLeaderIsKilled() throws Exception {
        Holdfast a = kit.opening(Holdfast.open(cluster.url()));
        Holdfast b = kit.opening(Holdfast.open(cluster.url()));
        Lease lease = a.mutex("job").acquire(ttl(20));
        CompletableFuture<Lease> next = b.mutex("job").acquireAsync(ttl(20));
        EtcdServer leader = cluster.leader();

        leader.kill();
        cluster.awaitLeader(cluster.others(leader));

        Kit.eventually("held again after a renewal")
                .until(() ->
                        lease.state() == LeaseState.HELD && lease.remaining().compareTo(Duration.ofSeconds(12)) > 0);
        assertThat(next).isNotDone();
        lease.close();
        try (Lease taken = next.get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(taken.token()).isGreaterThan(lease.token());
        }
        leader.restart();
        a.mutex("job").acquire(ttl(20)).close();
    }

    @Test
    @DisplayName("U3: the holder and its member are cut off: it knows of its loss before the majority grants the lock")
    void theHolderIsInTheMinority() throws Exception {
        EtcdServer alone = cluster.members().get(0);
        TcpProxy link = kit.opening(TcpProxy.to(alone));

        theHolderKnowsOfItsLossFirst(
                "etcd://127.0.0.1:" + link.port(),
                alone,
                () -> {
                    alone.pause();
                    link.cut();
                },
                () -> {
                    alone.resume();
                    link.restore();
                });
    }

    @Test
    @DisplayName("U3: the leader loses the others and still answers the holder: it knows of its loss before they grant")
    void theHoldersMemberIsALeaderThatWasCutOff() throws Exception {
        EtcdServer leader = cluster.leader();
        theHolderKnowsOfItsLossFirst(leader.url(), leader, () -> cluster.isolate(leader), cluster::rejoin);
    }

    @Test
    @DisplayName("U3: a follower loses the others and still answers the holder: it knows of its loss before they grant")
    void theHoldersMemberIsAFollowerThatWasCutOff() throws Exception {
        EtcdServer follower = cluster.others(cluster.leader()).get(0);
        theHolderKnowsOfItsLossFirst(follower.url(), follower, () -> cluster.isolate(follower), cluster::rejoin);
    }

    private void theHolderKnowsOfItsLossFirst(String url, EtcdServer alone, Runnable cut, Runnable heal)
            throws Exception {
        EtcdServer other = cluster.others(alone).get(0);
        Holdfast holder = kit.opening(Holdfast.open(url + "?ioTimeout=500ms"));
        Holdfast waiter = kit.opening(Holdfast.open(other.url()));
        Lease stale = holder.mutex("job").acquire(ttl(3));
        AtomicLong lostAt = new AtomicLong();
        stale.onLost(loss -> lostAt.set(System.nanoTime()));
        EtcdGuard guard = EtcdGuard.of(kit.operator(other), "stock", "job");
        guard.admit(stale.sequencer());
        CompletableFuture<Long> granted = new CompletableFuture<>();
        CompletableFuture<Lease> next = waiter.mutex("job").acquireAsync(ttl(20));
        next.thenAccept(lease -> granted.complete(System.nanoTime()));

        cut.run();

        Lease current = next.get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        Kit.eventually("the loss is told").until(() -> lostAt.get() != 0);
        assertThat(granted.get(10, TimeUnit.SECONDS) - lostAt.get())
                .as("granted after the loss, in ns")
                .isPositive();
        assertThat(current.token()).isGreaterThan(stale.token());
        guard.admit(current.sequencer());
        assertThatThrownBy(() -> guard.admit(stale.sequencer())).isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> holder.mutex("other").tryAcquire()).isInstanceOf(HoldfastException.class);
        heal.run();
        current.close();
        Kit.eventually("the old holder can lock again").until(() -> {
            stale.close();
            holder.mutex("job").acquire(ttl(3)).close();
            return true;
        });
    }

    @Test
    @DisplayName("every member is alone: the lease ends at its deadline, no lock is granted, and all is well after")
    void everyMemberIsAlone() throws Exception {
        Holdfast a = kit.opening(Holdfast.open(cluster.url() + "?ioTimeout=500ms"));
        Holdfast b = kit.opening(Holdfast.open(cluster.url() + "?ioTimeout=500ms"));
        Lease lease = a.mutex("job").acquire(ttl(3));
        List<Loss> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);

        cluster.splitAll();

        Kit.eventually("the loss is told").until(() -> !told.isEmpty());
        assertThatThrownBy(() -> b.mutex("job").tryAcquire()).isInstanceOf(HoldfastException.class);
        cluster.heal();
        Kit.eventually("granted again").until(() -> {
            Lease next = b.mutex("job").acquire(waitUpTo(Duration.ofSeconds(5)));
            assertThat(next.token()).isGreaterThan(lease.token());
            next.close();
            return true;
        });
    }

    @Test
    @DisplayName("the majority is killed and comes back with its data: tokens go on rising")
    void theMajorityIsLostAndBack() throws Exception {
        Holdfast a = kit.opening(Holdfast.open(cluster.url() + "?ioTimeout=500ms"));
        Lease lease = a.mutex("job").acquire(ttl(3));
        List<EtcdServer> dead = cluster.members().subList(0, 2);

        dead.forEach(EtcdServer::kill);

        Kit.eventually("lost").until(() -> lease.state() == LeaseState.LOST);
        dead.forEach(EtcdServer::launch);
        dead.forEach(EtcdServer::awaitReady);
        lease.close();
        Kit.eventually("granted again").until(() -> {
            Lease next = a.mutex("job").acquire(waitUpTo(Duration.ofSeconds(5)));
            assertThat(next.token()).isGreaterThan(lease.token());
            next.close();
            return true;
        });
    }

    @Test
    @DisplayName("a client that was paused beyond its lease: its guarded write is refused")
    void aPausedClientsWriteIsRefused() throws Exception {
        Client client = kit.operator(cluster.members().get(0));
        EtcdGuard guard = EtcdGuard.of(client, "stock", "job");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HolderProcess.class.getName(),
                        cluster.url(),
                        "http://" + cluster.members().get(0).address())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(said.readLine()).startsWith("HELD ");
            signal("STOP", child);
            Holdfast b = kit.opening(Holdfast.open(cluster.url()));
            Lease current = b.mutex("job").acquire(ttl(20));
            guard.admit(current.sequencer());
            boolean written = client.getKVClient()
                    .txn()
                    .If(guard.stillAdmitted(current.sequencer()))
                    .Then(Op.put(bytes("stock"), bytes("of the newer"), PutOption.DEFAULT))
                    .commit()
                    .get(10, TimeUnit.SECONDS)
                    .isSucceeded();
            assertThat(written).isTrue();
            signal("CONT", child);
            child.getOutputStream().write('\n');
            child.getOutputStream().flush();

            assertThat(said.readLine()).isEqualTo("REFUSED LOST");
            assertThat(Kit.keys(client, "stock").get(0).getValue().toString(StandardCharsets.UTF_8))
                    .isEqualTo("of the newer");
            current.close();
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    @DisplayName("members stall in bursts: holders never overlap, tokens rise, and every thread gets its turns")
    void membersStallInBursts() throws Exception {
        int threads = 4;
        int turns = 10;
        List<Long> tokens = new CopyOnWriteArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Holdfast client = kit.opening(Holdfast.open(cluster.url()));
            all.add(CompletableFuture.runAsync(() -> {
                for (int turn = 0; turn < turns; turn++) {
                    try (Lease lease = client.mutex("job").acquire(ttl(20))) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        tokens.add(lease.token());
                        inside.decrementAndGet();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        CompletableFuture<Void> allThreads = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
        for (int burst = 0; burst < 6; burst++) {
            EtcdServer stalled = cluster.members().get(burst % 3);
            stalled.pause();
            kit.elapse(Duration.ofMillis(burst % 2 == 0 ? 150 : 1500));
            stalled.resume();
            kit.elapse(Duration.ofMillis(100));
        }
        allThreads.get(Kit.PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);

        assertThat(most).hasValue(1);
        assertThat(tokens).hasSize(threads * turns).isSorted().doesNotHaveDuplicates();
    }

    private static LockOptions ttl(int seconds) {
        return waitUpTo(Kit.PATIENCE).ttl(Duration.ofSeconds(seconds));
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
