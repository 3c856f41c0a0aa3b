package io.holdfast.redis.wire;

import io.holdfast.spi.WaitingThread;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One server, or the primary that Sentinel names. A lost connection is closed for good and {@link RedisWire} opens
 * another, so that Lettuce never replays a command: what was under way when a connection broke has an unknown outcome,
 * and stays so.
 */
public final class ClientConnector implements Connector {
    /** As long as many a critical section: its release finds nobody in the loop, and has nobody to wake. */
    private static final Duration REST = Duration.ofMillis(20);

    private final RedisClient client;
    private final RedisClient listener;
    private final RedisURI uri;
    private final @Nullable LentLoops loops;

    private ClientConnector(RedisClient client, RedisClient listener, RedisURI uri, @Nullable LentLoops loops) {
        this.client = client;
        this.listener = listener;
        this.uri = uri;
        this.loops = loops;
    }

    /** With a client of its own. */
    public static ClientConnector open(RedisURI uri, Duration connectTimeout, SslOptions ssl) {
        LentLoops loops = new LentLoops("holdfast-redis", REST);
        ClientResources resources = loops.resources();
        ClientOptions options = ClientOptions.builder()
                .autoReconnect(false)
                // A connection is handed out a moment before Lettuce calls it connected; REJECT_COMMANDS would refuse
                // what is sent in that moment. Nothing is kept for later: without reconnecting there is no later.
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                .timeoutOptions(untimed())
                .socketOptions(socket(connectTimeout))
                .sslOptions(ssl)
                .build();
        // Messages come unasked, and must not wait for the next caller: the second client has a loop of its own.
        RedisClient client = RedisClient.create(resources);
        RedisClient listener = RedisClient.create(resources);
        client.setOptions(options);
        listener.setOptions(options);
        return new ClientConnector(client, listener, uri, loops);
    }

    /** With a client that somebody else closes. Its options stay as they are. */
    public static ClientConnector over(RedisClient client, RedisURI uri) {
        return new ClientConnector(client, client, uri, null);
    }

    /** Every call has its end in {@link PendingCalls} already: Lettuce's own timer for each would be a second one. */
    static TimeoutOptions untimed() {
        return TimeoutOptions.create();
    }

    static SocketOptions socket(Duration connectTimeout) {
        return SocketOptions.builder()
                .connectTimeout(connectTimeout)
                .keepAlive(true)
                .tcpNoDelay(true)
                .build();
    }

    @Override
    public CompletionStage<Session> connect() {
        return client.connectAsync(StringCodec.UTF8, uri).thenApply(ClientConnector::session);
    }

    @Override
    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return listener.connectPubSubAsync(StringCodec.UTF8, uri);
    }

    @Override
    public boolean sharded() {
        return false;
    }

    @Override
    public boolean heals(RedisConnectionStateListener listener) {
        return false;
    }

    @Override
    public <T> CompletableFuture<T> drive(Supplier<CompletableFuture<T>> send) {
        return loops == null ? send.get() : loops.drive(send);
    }

    @Override
    public boolean attend(WaitingThread waiting, BooleanSupplier others) {
        return loops != null && loops.attend(waiting, others);
    }

    @Override
    public void listen() {
        if (loops != null) {
            loops.listen();
        }
    }

    @Override
    public ScheduledExecutorService timers() {
        return client.getResources().eventExecutorGroup();
    }

    @Override
    public void close() {
        if (loops != null) {
            ClientEnd.shutdown(client, listener);
        }
    }

    private static Session session(StatefulRedisConnection<String, String> connection) {
        return new Session(connection, connection.async());
    }
}
