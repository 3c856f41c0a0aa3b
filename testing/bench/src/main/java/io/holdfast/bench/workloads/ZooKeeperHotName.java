package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.ZooKeeperServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client on one hot name in ZooKeeper. */
public final class ZooKeeperHotName implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperHotName() {}

    @Override
    public String id() {
        return "zookeeper-hot-name";
    }

    @Override
    public String question() {
        return THREADS + " threads of one client on one hot name in ZooKeeper, empty section";
    }

    @Override
    public List<Contestant> contestants() {
        return ZooKeeperContestant.of(
                ZooKeeperHotName::measure,
                ZooKeeperPeers.HOLDFAST,
                ZooKeeperPeers.CURATOR_SHARED,
                ZooKeeperPeers.CURATOR,
                ZooKeeperPeers.SPRING);
    }

    /** The better of Curator's two, so that the bar holds against both. */
    @Override
    public String baseline() {
        return ZooKeeperPeers.CURATOR.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(ZooKeeperPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 30),
                Bar.value(ZooKeeperPeers.HOLDFAST.title(), Contention.UNFAIRNESS, Bar.Relation.AT_MOST, 1.5));
    }

    private static Measurement measure(Run run, ZooKeeperPeers who, ZooKeeperServer server) throws Exception {
        try (ZooKeeperPeer peer = who.open(server.address())) {
            ZooKeeperPeer.Handle[] locks = new ZooKeeperPeer.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> peer.handle("hot"));
            return new Contention(THREADS).measure(run, (section, thread) -> {
                long token = locks[thread].lock();
                try {
                    if (token == 0) {
                        section.pass(thread);
                    } else {
                        section.pass(thread, token);
                    }
                } finally {
                    locks[thread].unlock();
                }
            });
        }
    }
}
