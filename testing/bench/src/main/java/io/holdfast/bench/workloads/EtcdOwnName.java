package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.EtcdServer;
import java.util.Arrays;
import java.util.List;

/** The price of an uncontended lock in etcd. */
public final class EtcdOwnName implements Workload {
    private static final int BATCH = 20;

    /** For {@link java.util.ServiceLoader}. */
    public EtcdOwnName() {}

    @Override
    public String id() {
        return "etcd-own-name";
    }

    @Override
    public String question() {
        return "1 thread, its own name in etcd: lock + unlock against a transaction and a delete";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(EtcdPeers.values())
                .<Contestant>map(peer -> new EtcdContestant(peer, EtcdOwnName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return EtcdPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(EtcdPeers.HOLDFAST.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 0.9));
    }

    static Measurement measure(Run run, EtcdPeers who, EtcdServer server) throws Exception {
        try (EtcdPeer peer = who.open(server.address())) {
            EtcdPeer.Handle lock = peer.handle("own");
            return RepeatedWork.measure(run, new RepeatedWork.Batch() {
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
        }
    }
}
