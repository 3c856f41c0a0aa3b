package io.holdfast.redis;

import io.holdfast.redis.wire.ConnectionCheck;
import io.holdfast.redis.wire.Connector;
import io.holdfast.redis.wire.RedisConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Refuses servers that are too old, that are replicas, or that evict keys, before a connection to them is used. In a
 * cluster it looks at all primaries that answer. What INFO does not tell (managed servers hide CONFIG) is not checked.
 */
final class ServerCheck implements ConnectionCheck {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redis");
    private static final int OLDEST = 6;
    private static final int MOST_TRIES = 20;
    private static final long PAUSE_MILLIS = 20;

    private final Connector connector;
    private final String where;
    private final boolean acceptEviction;
    private final AtomicBoolean warned = new AtomicBoolean();

    ServerCheck(Connector connector, String where, RedisConfig config) {
        this.connector = connector;
        this.where = where;
        this.acceptEviction = config.acceptEviction();
    }

    @Override
    public CompletionStage<Void> of(RedisConnection fresh) {
        return infos(fresh, 1).thenCompose(infos -> {
            boolean forgetful = false;
            for (String text : infos) {
                Map<String, String> info = parse(text);
                String server = server(info);
                checkVersion(server, info.getOrDefault("redis_version", ""));
                checkRole(server, info);
                checkEviction(server, info.getOrDefault("maxmemory_policy", "noeviction"));
                forgetful |= "0".equals(info.get("aof_enabled"));
            }
            return forgetful && !warned.getAndSet(true)
                    ? warnIfNothingIsSaved(fresh)
                    : CompletableFuture.completedFuture(null);
        });
    }

    /** A cluster's connections to its nodes may take a moment more. */
    private CompletionStage<List<String>> infos(RedisConnection fresh, int tries) {
        return connector.infos(fresh).exceptionallyCompose(failure -> {
            if (tries == MOST_TRIES || !connector.sharded()) {
                return CompletableFuture.failedFuture(failure);
            }
            Executor later = CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, connector.timers());
            return CompletableFuture.completedFuture(tries + 1).thenComposeAsync(next -> infos(fresh, next), later);
        });
    }

    /** In a cluster the address is not enough to find the server. */
    private String server(Map<String, String> info) {
        String port = info.get("tcp_port");
        return connector.sharded() && port != null ? where + " (the node on port " + port + ")" : where;
    }

    private static void checkRole(String server, Map<String, String> info) {
        if ("slave".equals(info.get("role"))) {
            throw new IllegalArgumentException(server + " is a replica of " + info.get("master_host") + ":"
                    + info.get("master_port") + ", and a replica cannot hold locks: give the address of the primary,"
                    + " or use redis-sentinel://");
        }
    }

    static void checkVersion(String where, String version) {
        int major;
        try {
            major = Integer.parseInt(version.substring(0, Math.max(0, version.indexOf('.'))));
        } catch (NumberFormatException unknown) {
            return;
        }
        if (major < OLDEST) {
            throw new IllegalArgumentException(
                    where + " is Redis " + version + ", and Holdfast needs " + OLDEST + " or newer: upgrade it");
        }
    }

    private void checkEviction(String server, String policy) {
        if (policy.equals("noeviction")) {
            return;
        }
        String what = server + " has maxmemory-policy " + policy + ", which may evict a lock that is held";
        if (!acceptEviction) {
            throw new IllegalArgumentException(
                    what
                            + ": set it to noeviction, or add evict=accept to the URL if only fencing needs to protect the data");
        }
        LOG.log(System.Logger.Level.WARNING, what + "; only fencing protects the data then");
    }

    private CompletionStage<Void> warnIfNothingIsSaved(RedisConnection fresh) {
        return fresh.commands().configGet("save").handle((saves, hidden) -> {
            if (hidden == null && saves.getOrDefault("save", "unknown").isEmpty()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        where + " keeps nothing on disk: a restart forgets every lock while its holder still"
                                + " believes in it, and only fencing protects then. Set appendonly yes");
            }
            return null;
        });
    }

    private static Map<String, String> parse(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines()
                .filter(line -> line.indexOf(':') > 0)
                .forEach(line ->
                        fields.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
        return fields;
    }
}
