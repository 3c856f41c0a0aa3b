package io.holdfast.redis.wire;

import io.holdfast.spi.WaitingThread;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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

    /** Sends, and reads the answer on this thread if that is possible: see {@link LentLoop#drive}. */
    default <T> CompletableFuture<T> drive(Supplier<CompletableFuture<T>> send) {
        return send.get();
    }

    /** Waits for messages of subscriptions on this thread if that is possible: see {@link LentLoop#attend}. */
    default boolean attend(WaitingThread waiting, BooleanSupplier others) {
        return false;
    }

    /** Somebody begins to wait for messages of subscriptions. */
    default void listen() {}

    /** Runs short tasks later. */
    ScheduledExecutorService timers();

    /** Closes the client if it was opened here. */
    @Override
    void close();
}
