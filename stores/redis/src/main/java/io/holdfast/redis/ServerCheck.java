package io.holdfast.redis;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.RedisWire;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at a server before the first lock is taken: too old, a replica, one that evicts. What INFO does not tell
 * (managed servers hide CONFIG) is not checked.
 */
final class ServerCheck {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redis");
    private static final int OLDEST = 6;
    private static final int MOST_TRIES = 20;
    private static final long PAUSE_NANOS = 20_000_000;

    private final RedisWire wire;
    private final RedisConfig config;

    private ServerCheck(RedisWire wire, RedisConfig config) {
        this.wire = wire;
        this.config = config;
    }

    static ServerCheck of(RedisWire wire, RedisConfig config) {
        return new ServerCheck(wire, config);
    }

    void run() {
        Map<String, String> info = parse(info());
        checkVersion(wire.where(), info.getOrDefault("redis_version", ""));
        if ("slave".equals(info.get("role"))) {
            throw new IllegalArgumentException(wire.where() + " is a replica of " + info.get("master_host") + ":"
                    + info.get("master_port") + ", and a replica cannot hold locks: give the address of the primary,"
                    + " or use redis-sentinel://");
        }
        checkEviction(info.getOrDefault("maxmemory_policy", "noeviction"));
        if ("0".equals(info.get("aof_enabled")) && savesNothing()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    wire.where() + " keeps nothing on disk: a restart forgets every lock while its holder still"
                            + " believes in it, and only fencing protects then. Set appendonly yes");
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

    private void checkEviction(String policy) {
        if (policy.equals("noeviction")) {
            return;
        }
        String what = wire.where() + " has maxmemory-policy " + policy + ", which may evict a lock that is held";
        if (!config.acceptEviction()) {
            throw new IllegalArgumentException(
                    what
                            + ": set it to noeviction, or add evict=accept to the URL if only fencing needs to protect the data");
        }
        LOG.log(System.Logger.Level.WARNING, what + "; only fencing protects the data then");
    }

    /** A cluster's connections to its nodes may take a moment more. */
    private String info() {
        for (int tries = 1; ; tries++) {
            try {
                return ask(wire.call(redis -> redis.info()));
            } catch (StoreUnavailableException e) {
                if (e.outcomeUnknown() || tries == MOST_TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private boolean savesNothing() {
        CompletableFuture<Map<String, String>> save = wire.call(redis -> redis.configGet("save"));
        try {
            return ask(save).getOrDefault("save", "unknown").isEmpty();
        } catch (StoreUnavailableException hidden) {
            return false;
        }
    }

    private static <T> T ask(CompletableFuture<T> call) {
        try {
            return call.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
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
