package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.RedisServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client, each with its own name in Redis. */
public final class RedisOwnNames implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public RedisOwnNames() {}

    @Override
    public String id() {
        return "redis-own-names";
    }

    @Override
    public String question() {
        return THREADS + " threads, each its own name in Redis, one client: lock + unlock against raw commands";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(RedisPeers.values())
                .<Contestant>map(peer -> new RedisContestant(peer, RedisOwnNames::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return RedisPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(RedisPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 0.7));
    }

    private static Measurement measure(Run run, RedisPeers who, RedisServer server) throws Exception {
        try (RedisPeer peer = who.open(server.port())) {
            peer.once();
            RedisPeer.Handle[] locks = new RedisPeer.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> peer.handle("own-" + i));
            // Nobody excludes anybody here, so the section, which would complain, is not entered.
            return Contention.apart(THREADS).measure(run, (section, thread) -> {
                locks[thread].lock();
                locks[thread].unlock();
            });
        }
    }
}
