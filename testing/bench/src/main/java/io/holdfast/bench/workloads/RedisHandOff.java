package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** From the release in one client to the acquisition in another that waits, against a bare {@code BLPOP}. */
public final class RedisHandOff implements Workload {
    static final String P50 = "p50 µs";
    private static final String P99 = "p99 µs";
    private static final String BLPOP = "raw BLPOP";
    /** How long after the waiter began to wait the lock is released: enough to be queued. */
    private static final long SETTLE_MILLIS = 5;

    /** For {@link java.util.ServiceLoader}. */
    public RedisHandOff() {}

    @Override
    public String id() {
        return "redis-hand-off";
    }

    @Override
    public String question() {
        return "hand-off in Redis: release in one client to acquired in another that waits";
    }

    @Override
    public List<Contestant> contestants() {
        List<Contestant> all = new ArrayList<>();
        all.add(new Pop());
        Arrays.stream(RedisPeers.values())
                .filter(peer -> peer != RedisPeers.RAW)
                .forEach(peer -> all.add(new RedisContestant(peer, RedisHandOff::measure)));
        return all;
    }

    @Override
    public String baseline() {
        return BLPOP;
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(RedisPeers.HOLDFAST.title(), P50, Bar.Relation.AT_MOST, 1.3));
    }

    private static Measurement measure(Run run, RedisPeers who, RedisServer server) throws Exception {
        try (RedisPeer a = who.open(server.port());
                RedisPeer b = who.open(server.port())) {
            RedisPeer.Handle giver = a.handle("passed");
            RedisPeer.Handle taker = b.handle("passed");
            return passes(
                    run,
                    giver::lock,
                    () -> {
                        giver.unlock();
                        return 0L;
                    },
                    taker::lock,
                    () -> {
                        taker.unlock();
                        return 0L;
                    });
        }
    }

    /** The giver takes the lock, the taker waits for it, the giver gives it up: that is the time that counts. */
    static Measurement passes(
            Run run, Callable<Long> hold, Callable<Long> give, Callable<Long> take, Callable<Long> leave)
            throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        List<Long> nanos = new ArrayList<>();
        long start = System.nanoTime();
        long warm = start + run.warmUp().toNanos();
        long end = warm + run.measure().toNanos();
        try {
            while (nanos.isEmpty() || System.nanoTime() - end < 0) {
                hold.call();
                Future<Long> taken = other.submit(() -> {
                    take.call();
                    long at = System.nanoTime();
                    leave.call();
                    return at;
                });
                TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
                long given = System.nanoTime();
                give.call();
                long took = taken.get() - given;
                if (given - warm > 0) {
                    nanos.add(took);
                }
            }
        } finally {
            other.shutdownNow();
        }
        nanos.sort(null);
        return Measurement.of(P50, nanos.get(nanos.size() / 2) / 1e3)
                .with(P99, nanos.get(nanos.size() * 99 / 100) / 1e3);
    }

    /** The least a hand-off can be: one command on each side. */
    private static final class Pop implements Contestant {
        @Override
        public String name() {
            return BLPOP;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (RedisServer server = RedisServer.open()) {
                RedisClient client = RedisClient.create(server.url());
                RedisCommands<String, String> a = client.connect().sync();
                StatefulRedisConnection<String, String> patient = client.connect();
                patient.setTimeout(Duration.ofMinutes(1));
                RedisCommands<String, String> b = patient.sync();
                try {
                    return passes(
                            run,
                            () -> 0L,
                            () -> a.lpush("token", "1"),
                            () -> b.blpop(60, "token") == null ? 0L : 1L,
                            () -> 0L);
                } finally {
                    client.shutdown();
                }
            }
        }
    }
}
