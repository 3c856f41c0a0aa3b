package io.holdfast.redis.wire;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/** One connection and its verbs; a cluster's connection counts as one. Compared by identity. */
public final class Session {
    private final StatefulConnection<String, String> connection;
    private final RedisClusterAsyncCommands<String, String> commands;

    /** Of a connection and its asynchronous verbs. */
    public Session(StatefulConnection<String, String> connection, RedisClusterAsyncCommands<String, String> commands) {
        this.connection = connection;
        this.commands = commands;
    }

    /** The connection. */
    public StatefulConnection<String, String> connection() {
        return connection;
    }

    /** Its verbs. */
    public RedisClusterAsyncCommands<String, String> commands() {
        return commands;
    }
}
