package io.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The connections that a store opens through a client of the test, in the order in which they were opened. */
final class OwnConnections implements RedisConnectionStateListener {
    private final List<StatefulRedisConnection<String, String>> opened = new CopyOnWriteArrayList<>();

    private OwnConnections() {}

    static OwnConnections of(RedisClient client) {
        OwnConnections connections = new OwnConnections();
        client.addListener(connections);
        return connections;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
        opened.add((StatefulRedisConnection<String, String>) connection);
    }

    /** The first one for calls. */
    StatefulRedisConnection<String, String> calls() {
        return opened.stream()
                .filter(connection -> !(connection instanceof StatefulRedisPubSubConnection))
                .findFirst()
                .orElseThrow();
    }

    /** The first one for messages. */
    StatefulRedisPubSubConnection<String, String> messages() {
        for (StatefulRedisConnection<String, String> connection : opened) {
            if (connection instanceof StatefulRedisPubSubConnection<String, String> messages) {
                return messages;
            }
        }
        throw new IllegalStateException("no subscription was opened");
    }

    /**
     * {@code CLIENT REPLY mode} on the connection for calls. After {@code SKIP} the server leaves out two answers, so
     * that every later one arrives for an earlier request; after {@code OFF} it executes and answers nothing.
     */
    void replies(String mode) {
        StringCodec codec = StringCodec.UTF8;
        AsyncCommand<String, String, String> command = new AsyncCommand<>(new Command<>(
                CommandType.CLIENT,
                new StatusOutput<>(codec),
                new CommandArgs<>(codec).add("REPLY").add(mode)));
        calls().dispatch(command);
    }
}
