package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.ZooKeeperServer;
import java.util.List;

/** The price of an uncontended lock in ZooKeeper, in time and in packets. */
public final class ZooKeeperOwnName implements Workload {
    private static final String PACKETS = "packets/pair";
    private static final int BATCH = 20;
    private static final int COUNTED = 200;

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperOwnName() {}

    @Override
    public String id() {
        return "zookeeper-own-name";
    }

    @Override
    public String question() {
        return "1 thread, its own name in ZooKeeper: lock + unlock against create + delete";
    }

    @Override
    public List<Contestant> contestants() {
        return ZooKeeperContestant.of(ZooKeeperOwnName::measure, ZooKeeperPeers.values());
    }

    @Override
    public String baseline() {
        return ZooKeeperPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(ZooKeeperPeers.HOLDFAST.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 0.9),
                Bar.value(ZooKeeperPeers.HOLDFAST.title(), PACKETS, Bar.Relation.AT_MOST, 7));
    }

    private static Measurement measure(Run run, ZooKeeperPeers who, ZooKeeperServer server) throws Exception {
        try (ZooKeeperPeer peer = who.open(server.address())) {
            ZooKeeperPeer.Handle lock = peer.handle("own");
            Measurement times = RepeatedWork.measure(run, new RepeatedWork.Batch() {
                @Override
                public int size() {
                    return BATCH;
                }

                @Override
                public void work(int index) throws Exception {
                    lock.lock();
                    lock.unlock();
                }
            });
            server.resetStats();
            for (int i = 0; i < COUNTED; i++) {
                lock.lock();
                lock.unlock();
            }
            return times.with(PACKETS, server.packets() / (double) COUNTED);
        }
    }
}
