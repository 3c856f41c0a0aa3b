package io.holdfast.redis.wire;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/** One connection of the driver and its commands; the driver's connection to a cluster counts as one. Compared by identity. */
public final class RedisConnection {
    private final StatefulConnection<String, String> driver;
    private final RedisClusterAsyncCommands<String, String> commands;

    /** Of a connection of the driver and its asynchronous commands. */
    public RedisConnection(
            StatefulConnection<String, String> driver, RedisClusterAsyncCommands<String, String> commands) {
        this.driver = driver;
        this.commands = commands;
    }

    /** The connection of the driver. */
    public StatefulConnection<String, String> driver() {
        return driver;
    }

    /** Its commands. */
    public RedisClusterAsyncCommands<String, String> commands() {
        return commands;
    }
}
