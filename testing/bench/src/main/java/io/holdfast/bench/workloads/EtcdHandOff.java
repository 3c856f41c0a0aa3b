package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.EtcdServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** From the release in one client to the acquisition in another that waits. */
public final class EtcdHandOff implements Workload {
    private static final String P50 = "p50 µs";
    private static final String P99 = "p99 µs";
    /** How long after the waiter began to wait the lock is released: enough to be in the line and to watch. */
    private static final long SETTLE_MILLIS = 20;

    /** For {@link java.util.ServiceLoader}. */
    public EtcdHandOff() {}

    @Override
    public String id() {
        return "etcd-hand-off";
    }

    @Override
    public String question() {
        return "hand-off in etcd: release in one client to acquired in another that waits";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(EtcdPeers.values())
                .filter(peer -> peer != EtcdPeers.RAW)
                .<Contestant>map(peer -> new EtcdContestant(peer, EtcdHandOff::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return EtcdPeers.JETCD.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(EtcdPeers.HOLDFAST.title(), P50, Bar.Relation.AT_MOST, 0.8));
    }

    /** The giver takes the lock, the taker waits for it, the giver gives it up: that is the time that counts. */
    private static Measurement measure(Run run, EtcdPeers who, EtcdServer server) throws Exception {
        List<Long> nanos = new ArrayList<>();
        long warm = System.nanoTime() + run.warmUp().toNanos();
        long end = warm + run.measure().toNanos();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (EtcdPeer a = who.open(server.address());
                EtcdPeer b = who.open(server.address())) {
            EtcdPeer.Handle giver = a.handle("passed");
            EtcdPeer.Handle taker = b.handle("passed");
            while (nanos.isEmpty() || System.nanoTime() - end < 0) {
                giver.lock();
                Future<Long> taken = other.submit(() -> {
                    taker.lock();
                    long at = System.nanoTime();
                    taker.unlock();
                    return at;
                });
                TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
                long given = System.nanoTime();
                giver.unlock();
                long took = taken.get() - given;
                if (given - warm > 0) {
                    nanos.add(took);
                }
            }
        } finally {
            other.shutdownNow();
        }
        nanos.sort(null);
        return Measurement.of(P50, nanos.get(nanos.size() / 2) / 1e3)
                .with(P99, nanos.get(nanos.size() * 99 / 100) / 1e3);
    }
}
