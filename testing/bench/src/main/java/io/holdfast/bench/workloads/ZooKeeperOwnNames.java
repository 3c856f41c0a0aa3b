package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.ZooKeeperServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client, each with its own name in ZooKeeper. */
public final class ZooKeeperOwnNames implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperOwnNames() {}

    @Override
    public String id() {
        return "zookeeper-own-names";
    }

    @Override
    public String question() {
        return THREADS + " threads, each its own name in ZooKeeper, one client: lock + unlock against create + delete";
    }

    @Override
    public List<Contestant> contestants() {
        return ZooKeeperContestant.of(
                ZooKeeperOwnNames::measure,
                ZooKeeperPeers.RAW,
                ZooKeeperPeers.HOLDFAST,
                ZooKeeperPeers.HOLDFAST_SINGLE,
                ZooKeeperPeers.CURATOR);
    }

    @Override
    public String baseline() {
        return ZooKeeperPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(ZooKeeperPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 0.8));
    }

    private static Measurement measure(Run run, ZooKeeperPeers who, ZooKeeperServer server) throws Exception {
        try (ZooKeeperPeer peer = who.open(server.address())) {
            ZooKeeperPeer.Handle[] locks = new ZooKeeperPeer.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> peer.handle("own-" + i));
            // Nobody excludes anybody here, so the section, which would complain, is not entered.
            return Contention.apart(THREADS).measure(run, (section, thread) -> {
                locks[thread].lock();
                locks[thread].unlock();
            });
        }
    }
}
