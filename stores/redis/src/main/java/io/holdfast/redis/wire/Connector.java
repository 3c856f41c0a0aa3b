package io.holdfast.redis.wire;

import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** Opens connections to one deployment of Redis. Thread-safe. */
public interface Connector extends AutoCloseable {
    /** A new connection; for Sentinel, to the server that is the primary now. */
    CompletionStage<RedisConnection> connect();

    /** A new connection for subscriptions. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub();

    /** Whether keys live on several nodes, so that one call touches one hash tag only. */
    boolean sharded();

    /** What INFO says of every server that may hold locks, over this connection. */
    CompletionStage<List<String>> infos(RedisConnection connection);

    /**
     * Reports to {@code listener} every connection of a client that replaces broken connections itself, as a client of a
     * cluster does. Other connections are replaced by {@link SupervisedConnection}.
     *
     * @return ends the reports
     */
    Runnable watch(RedisConnectionStateListener listener);

    /** Runs short tasks later. */
    ScheduledExecutorService timers();

    /** Closes the client if it was opened here. */
    @Override
    void close();
}
