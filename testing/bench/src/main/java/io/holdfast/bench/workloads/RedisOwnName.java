package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.RedisServer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The price of an uncontended lock in Redis, in time and in commands. */
public final class RedisOwnName implements Workload {
    private static final String COMMANDS = "commands/pair";
    private static final int BATCH = 50;

    /** For {@link java.util.ServiceLoader}. */
    public RedisOwnName() {}

    @Override
    public String id() {
        return "redis-own-name";
    }

    @Override
    public String question() {
        return "1 thread, its own name in Redis: lock + unlock against SET NX PX + compare-and-delete";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(RedisPeers.values())
                .<Contestant>map(peer -> new RedisContestant(peer, RedisOwnName::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return RedisPeers.RAW.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(RedisPeers.HOLDFAST.title(), RepeatedWork.RATE, Bar.Relation.AT_LEAST, 0.85),
                Bar.value(RedisPeers.HOLDFAST.title(), COMMANDS, Bar.Relation.AT_MOST, 8));
    }

    private static Measurement measure(Run run, RedisPeers who, RedisServer server) throws Exception {
        try (RedisPeer peer = who.open(server.port())) {
            RedisPeer.Handle lock = peer.handle("own");
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
            for (int i = 0; i < 1000; i++) {
                lock.lock();
                lock.unlock();
            }
            return times.with(COMMANDS, commands(server) / 1000.0);
        }
    }

    private static long commands(RedisServer server) {
        long sum = 0;
        for (Map.Entry<String, String> command : server.info("commandstats").entrySet()) {
            boolean ours = command.getKey().startsWith("cmdstat_config")
                    || command.getKey().equals("cmdstat_info");
            String calls = command.getValue();
            sum += ours ? 0 : Long.parseLong(calls.substring("calls=".length(), calls.indexOf(',')));
        }
        return sum;
    }
}
