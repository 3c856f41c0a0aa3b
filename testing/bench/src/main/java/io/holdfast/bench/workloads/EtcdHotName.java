package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.EtcdServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client on one hot name in etcd. */
public final class EtcdHotName implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public EtcdHotName() {}

    @Override
    public String id() {
        return "etcd-hot-name";
    }

    @Override
    public String question() {
        return THREADS + " threads of one client on one hot name in etcd, empty section";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(EtcdPeers.values())
                .filter(peer -> peer != EtcdPeers.RAW)
                .<Contestant>map(peer -> new EtcdContestant(peer, EtcdHotName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return EtcdPeers.JETCD.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(EtcdPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 30));
    }

    private static Measurement measure(Run run, EtcdPeers who, EtcdServer server) throws Exception {
        try (EtcdPeer peer = who.open(server.address())) {
            EtcdPeer.Handle[] locks = new EtcdPeer.Handle[THREADS + 1];
            for (int i = 1; i <= THREADS; i++) {
                locks[i] = peer.handle("hot");
            }
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
