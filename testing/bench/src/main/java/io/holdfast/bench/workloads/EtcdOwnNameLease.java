package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Workload;
import java.util.List;
import java.util.stream.Stream;

/** The same as {@link EtcdOwnName}, against jetcd's lock as its documentation shows it. */
public final class EtcdOwnNameLease implements Workload {
    /** For {@link java.util.ServiceLoader}. */
    public EtcdOwnNameLease() {}

    @Override
    public String id() {
        return "etcd-own-name-lease";
    }

    @Override
    public String question() {
        return "1 thread, its own name in etcd: lock + unlock against jetcd's lock with a lease per pair";
    }

    @Override
    public List<Contestant> contestants() {
        return Stream.of(EtcdPeers.JETCD_LEASE, EtcdPeers.HOLDFAST)
                .<Contestant>map(peer -> new EtcdContestant(peer, EtcdOwnName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return EtcdPeers.JETCD_LEASE.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(EtcdPeers.HOLDFAST.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 1.8));
    }
}
