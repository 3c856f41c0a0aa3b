package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The price of an uncontended lock on a majority of five servers. */
public final class RedlockOwnName implements Workload {
    private static final int NODES = 5;
    private static final String ACQUIRE = "p50 µs to acquire";
    private static final String PAIR = "p50 µs per pair";

    /** For {@link java.util.ServiceLoader}. */
    public RedlockOwnName() {}

    @Override
    public String id() {
        return "redlock-own-name";
    }

    @Override
    public String question() {
        return "1 thread, its own name on " + NODES + " servers: against SET NX PX on all at once, until the third yes";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(RedlockPeers.values()).<Contestant>map(Five::new).toList();
    }

    @Override
    public String baseline() {
        return RedlockPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(RedlockPeers.HOLDFAST.title(), ACQUIRE, Bar.Relation.AT_MOST, 1.3));
    }

    private record Five(RedlockPeers peer) implements Contestant {
        @Override
        public String name() {
            return peer.title();
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            List<RedisServer> servers = new ArrayList<>();
            try {
                for (int i = 0; i < NODES; i++) {
                    servers.add(RedisServer.open());
                }
                List<Integer> ports = servers.stream().map(RedisServer::port).toList();
                try (RedisPeer client = peer.open(ports)) {
                    client.once();
                    return pairs(run, client.handle("own"));
                }
            } finally {
                servers.forEach(RedisServer::close);
            }
        }
    }

    private static Measurement pairs(Run run, RedisPeer.Handle lock) throws Exception {
        List<Long> acquires = new ArrayList<>();
        List<Long> pairs = new ArrayList<>();
        long warm = System.nanoTime() + run.warmUp().toNanos();
        long end = warm + run.measure().toNanos();
        while (acquires.isEmpty() || System.nanoTime() - end < 0) {
            long before = System.nanoTime();
            lock.lock();
            long held = System.nanoTime();
            lock.unlock();
            if (before - warm > 0) {
                acquires.add(held - before);
                pairs.add(System.nanoTime() - before);
            }
        }
        return Measurement.of(ACQUIRE, median(acquires)).with(PAIR, median(pairs));
    }

    private static double median(List<Long> nanos) {
        nanos.sort(null);
        return nanos.get(nanos.size() / 2) / 1e3;
    }
}
