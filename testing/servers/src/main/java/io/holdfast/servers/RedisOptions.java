package io.holdfast.servers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** How a {@link RedisServer} is configured. Immutable; every method returns a changed copy. */
public final class RedisOptions {
    private static final RedisOptions DEFAULTS = new RedisOptions(Map.of())
            .option("save", "")
            .option("appendonly", "no")
            .option("repl-diskless-sync-delay", "0");

    private final Map<String, String> settings;
    private final boolean ownClock;

    private RedisOptions(Map<String, String> settings) {
        this(settings, false);
    }

    private RedisOptions(Map<String, String> settings, boolean ownClock) {
        this.settings = Collections.unmodifiableMap(settings);
        this.ownClock = ownClock;
    }

    /** Keeps nothing on disk: every restart loses the data. */
    public static RedisOptions defaults() {
        return DEFAULTS;
    }

    /** Writes every change to the append-only file before it is answered: a restart, even after a kill, keeps it. */
    public RedisOptions appendOnly() {
        return option("appendonly", "yes").option("appendfsync", "always");
    }

    /** A replica of this server. */
    public RedisOptions replicaOf(RedisServer primary) {
        return replicaOf(primary.port());
    }

    /** A replica of whatever answers on this port of 127.0.0.1, as a {@link TcpProxy} before the primary. */
    public RedisOptions replicaOf(int port) {
        return option("replicaof", ServerProcess.HOST + " " + port);
    }

    /** Any setting of {@code redis.conf}; the last word on it counts. */
    public RedisOptions option(String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(settings);
        changed.put(name, value);
        return new RedisOptions(changed, ownClock);
    }

    /** With a wall clock of its own, for {@link RedisServer#stepClock}. A Redis 6.2, because it is linked dynamically. */
    public RedisOptions ownClock() {
        return new RedisOptions(settings, true);
    }

    boolean hasOwnClock() {
        return ownClock;
    }

    Map<String, String> settings() {
        return settings;
    }
}
