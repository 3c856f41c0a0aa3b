package io.holdfast.redis.wire;

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
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/**
 * One server, or the primary that Sentinel names. A lost connection is closed for good and {@link SupervisedConnection}
 * opens another, so that Lettuce never replays a command: a command that was under way when its connection broke has an
 * unknown outcome.
 */
public final class ClientConnector implements Connector {
    /** One for calls and one for messages: Lettuce gives its connections to its threads in turn. */
    private static final int THREADS = 2;

    private final RedisClient client;
    private final RedisURI uri;
    private final boolean owned;

    private ClientConnector(RedisClient client, RedisURI uri, boolean owned) {
        this.client = client;
        this.uri = uri;
        this.owned = owned;
    }

    /** With a client of its own. */
    public static ClientConnector open(RedisURI uri, Duration connectTimeout, SslOptions ssl) {
        RedisClient client = RedisClient.create(resources());
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                // A connection is handed out a moment before Lettuce calls it connected; REJECT_COMMANDS would refuse
                // what is sent in that moment. Nothing is kept for later: without reconnecting there is no later.
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                .timeoutOptions(untimed())
                .socketOptions(socket(connectTimeout))
                .sslOptions(ssl)
                .build());
        return new ClientConnector(client, uri, true);
    }

    /** With a client that the caller closes. Its options stay as they are. */
    public static ClientConnector over(RedisClient client, RedisURI uri) {
        return new ClientConnector(client, uri, false);
    }

    /** The threads of one client; {@link ClientEnd} ends them with it. */
    public static ClientResources resources() {
        return ClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .build();
    }

    /** Every call has a deadline in {@link SupervisedConnection} already; a timer of Lettuce would be a second one. */
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
    public CompletionStage<RedisConnection> connect() {
        return client.connectAsync(StringCodec.UTF8, uri).thenApply(ClientConnector::connection);
    }

    @Override
    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return client.connectPubSubAsync(StringCodec.UTF8, uri);
    }

    @Override
    public boolean sharded() {
        return false;
    }

    @Override
    public CompletionStage<List<String>> infos(RedisConnection connection) {
        return connection.commands().info().thenApply(List::of);
    }

    @Override
    public Runnable watch(RedisConnectionStateListener listener) {
        return () -> {};
    }

    @Override
    public ScheduledExecutorService timers() {
        return client.getResources().eventExecutorGroup();
    }

    @Override
    public void close() {
        if (owned) {
            ClientEnd.shutdown(client);
        }
    }

    private static RedisConnection connection(StatefulRedisConnection<String, String> driver) {
        return new RedisConnection(driver, driver.async());
    }
}
