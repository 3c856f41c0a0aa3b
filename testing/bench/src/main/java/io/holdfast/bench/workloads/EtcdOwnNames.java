package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.EtcdServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client, each with its own name in etcd. */
public final class EtcdOwnNames implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public EtcdOwnNames() {}

    @Override
    public String id() {
        return "etcd-own-names";
    }

    @Override
    public String question() {
        return THREADS + " threads, each its own name in etcd, one client: lock + unlock against raw calls";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(EtcdPeers.values())
                .<Contestant>map(peer -> new EtcdContestant(peer, EtcdOwnNames::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return EtcdPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(EtcdPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 0.9));
    }

    private static Measurement measure(Run run, EtcdPeers who, EtcdServer server) throws Exception {
        try (EtcdPeer peer = who.open(server.address())) {
            EtcdPeer.Handle[] locks = new EtcdPeer.Handle[THREADS + 1];
            for (int i = 1; i <= THREADS; i++) {
                locks[i] = peer.handle("own-" + i);
            }
            // Nobody excludes anybody here, so the section, which would complain, is not entered.
            return Contention.apart(THREADS).measure(run, (section, thread) -> {
                locks[thread].lock();
                locks[thread].unlock();
            });
        }
    }
}
