package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.ZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Two hundred threads of one client wait for one name: what that costs the server while they wait, and per hand-off. */
public final class ZooKeeperWaiters implements Workload {
    private static final int WAITERS = 200;
    private static final String WAITING = "packets/s while waiting";
    private static final String HAND_OFF = "packets/hand-off";

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperWaiters() {}

    @Override
    public String id() {
        return "zookeeper-waiters";
    }

    @Override
    public String question() {
        return WAITERS + " threads of one client wait for one name in ZooKeeper: packets";
    }

    @Override
    public List<Contestant> contestants() {
        return ZooKeeperContestant.of(
                ZooKeeperWaiters::measure,
                ZooKeeperPeers.HOLDFAST,
                ZooKeeperPeers.HOLDFAST_SINGLE,
                ZooKeeperPeers.CURATOR);
    }

    @Override
    public String baseline() {
        return ZooKeeperPeers.CURATOR.title();
    }

    /** Heartbeats of two clients, and the question how many packets there were. */
    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.value(ZooKeeperPeers.HOLDFAST.title(), WAITING, Bar.Relation.AT_MOST, 3),
                Bar.value(ZooKeeperPeers.HOLDFAST.title(), HAND_OFF, Bar.Relation.AT_MOST, 4));
    }

    private static Measurement measure(Run run, ZooKeeperPeers who, ZooKeeperServer server) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WAITERS);
        try (ZooKeeperPeer holder = who.open(server.address());
                ZooKeeperPeer client = who.open(server.address())) {
            ZooKeeperPeer.Handle held = holder.handle("hot");
            held.lock();
            List<Future<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                ZooKeeperPeer.Handle lock = client.handle("hot");
                all.add(threads.submit(() -> {
                    lock.lock();
                    lock.unlock();
                    return true;
                }));
            }
            TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos() + TimeUnit.SECONDS.toNanos(1));
            server.resetStats();
            TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
            double waiting = server.packets() / (run.measure().toNanos() / 1e9);
            server.resetStats();
            held.unlock();
            for (Future<Boolean> each : all) {
                each.get();
            }
            double passed = server.packets() / (double) WAITERS;
            return Measurement.of(WAITING, waiting).with(HAND_OFF, passed);
        } finally {
            threads.shutdownNow();
        }
    }
}
