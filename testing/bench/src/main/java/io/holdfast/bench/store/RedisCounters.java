package io.holdfast.bench.store;

import io.holdfast.servers.RedisServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a Redis server says about its own load. */
public final class RedisCounters {
    public static final String CALLS = "calls";
    public static final String COMMANDS = "commands";

    /** What only a client sends, never a script: one of these is a message of its own. */
    private static final Set<String> FROM_CLIENTS = Set.of(
            "eval",
            "evalsha",
            "eval_ro",
            "evalsha_ro",
            "fcall",
            "fcall_ro",
            "subscribe",
            "unsubscribe",
            "ssubscribe",
            "sunsubscribe",
            "psubscribe",
            "punsubscribe",
            "ping",
            "wait");

    private RedisCounters() {}

    /**
     * {@code commands} are all that ran, those inside of scripts included; {@code calls} are scripts, subscriptions and
     * pings, which come from clients only. What the benchmark asks for itself is not counted.
     */
    public static Map<String, Double> counters(RedisServer server) {
        double calls = 0;
        double commands = 0;
        for (Map.Entry<String, String> line : server.info("commandstats").entrySet()) {
            String command = line.getKey().substring("cmdstat_".length());
            String stats = line.getValue();
            double count = Double.parseDouble(stats.substring("calls=".length(), stats.indexOf(',')));
            boolean ours = command.equals("info") || command.startsWith("config");
            commands += ours ? 0 : count;
            calls += FROM_CLIENTS.contains(command) ? count : 0;
        }
        return Map.of(CALLS, calls, COMMANDS, commands);
    }

    /** Of several servers together. */
    public static Map<String, Double> sum(List<RedisServer> servers) {
        Map<String, Double> all = new HashMap<>();
        servers.forEach(server -> counters(server).forEach((counter, count) -> all.merge(counter, count, Double::sum)));
        return all;
    }

    /** The bytes that its allocator has given out. */
    public static double memory(RedisServer server) {
        return Double.parseDouble(server.info("memory").getOrDefault("used_memory", "0"));
    }
}
