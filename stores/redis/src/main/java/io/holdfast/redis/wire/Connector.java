package io.holdfast.redis.wire;

import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** Opens connections to one deployment of Redis. Thread-safe. */
public interface Connector extends AutoCloseable {
    /** A new connection; for Sentinel, to whoever is the primary now. */
    CompletionStage<Session> connect();

    /** A new connection for subscriptions. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub();

    /** Whether keys live on several nodes, so that one call touches one hash tag only. */
    boolean sharded();

    /**
     * Whether a session replaces its broken connections itself (a cluster's does); {@code listener} is then told of
     * each. Other sessions end with their connection and are replaced by {@link RedisWire}.
     */
    boolean heals(RedisConnectionStateListener listener);

    /** Runs short tasks later. */
    ScheduledExecutorService timers();

    /** Closes the client if it was opened here. */
    @Override
    void close();
}
