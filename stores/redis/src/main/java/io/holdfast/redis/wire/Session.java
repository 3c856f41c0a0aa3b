package io.holdfast.redis.wire;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * One connection and its verbs; a cluster's connection counts as one.
 *
 * @param connection the connection
 * @param commands its asynchronous verbs
 */
public record Session(
        StatefulConnection<String, String> connection, RedisClusterAsyncCommands<String, String> commands) {}
