package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.RedisServer;
import java.util.Arrays;
import java.util.List;

/** Sixteen threads of one client on one hot name in Redis. */
public final class RedisHotName implements Workload {
    private static final int THREADS = 16;

    /** For {@link java.util.ServiceLoader}. */
    public RedisHotName() {}

    @Override
    public String id() {
        return "redis-hot-name";
    }

    @Override
    public String question() {
        return THREADS + " threads of one client on one hot name in Redis, empty section";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(RedisPeers.values())
                .filter(peer -> peer != RedisPeers.RAW)
                .<Contestant>map(peer -> new RedisContestant(peer, RedisHotName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return RedisPeers.REDISSON.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(RedisPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 30),
                Bar.value(RedisPeers.HOLDFAST.title(), Contention.UNFAIRNESS, Bar.Relation.AT_MOST, 1.5));
    }

    private static Measurement measure(Run run, RedisPeers who, RedisServer server) throws Exception {
        try (RedisPeer peer = who.open(server.port())) {
            peer.once();
            RedisPeer.Handle[] locks = new RedisPeer.Handle[THREADS + 1];
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
