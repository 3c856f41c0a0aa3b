package io.holdfast.redis.wire;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A Redis Cluster. Lettuce keeps a connection per node, follows redirections and reads the topology anew when something
 * changes; commands that were under way when a connection broke end with it and are not sent again.
 */
public final class ClusterConnector implements Connector {
    private static final Duration REFRESH = Duration.ofSeconds(30);

    private final RedisClusterClient client;
    private final boolean owned;

    private ClusterConnector(RedisClusterClient client, boolean owned) {
        this.client = client;
        this.owned = owned;
    }

    /** With a client of its own. */
    public static ClusterConnector open(List<RedisURI> seeds, Duration connectTimeout, SslOptions ssl) {
        RedisClusterClient client = RedisClusterClient.create(seeds);
        ClientOptions each = ClientOptions.builder()
                .autoReconnect(true)
                // Also ends what was under way on a connection that broke, instead of keeping it for the next one.
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(ClientConnector.untimed())
                .socketOptions(ClientConnector.socket(connectTimeout))
                .sslOptions(ssl)
                .build();
        client.setOptions(ClusterClientOptions.builder(each)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(REFRESH)
                        .adaptiveRefreshTriggersTimeout(connectTimeout)
                        .build())
                .build());
        return new ClusterConnector(client, true);
    }

    /** With a client that somebody else closes. Its options stay as they are. */
    public static ClusterConnector over(RedisClusterClient client) {
        return new ClusterConnector(client, false);
    }

    @Override
    public CompletionStage<Session> connect() {
        return client.refreshPartitionsAsync()
                .thenCompose(done -> client.connectAsync(StringCodec.UTF8))
                .thenApply(connection -> new Session(connection, connection.async()));
    }

    @Override
    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return client.connectPubSubAsync(StringCodec.UTF8).thenApply(connection -> connection);
    }

    @Override
    public boolean sharded() {
        return true;
    }

    @Override
    public boolean heals(RedisConnectionStateListener listener) {
        client.addListener(listener);
        return true;
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
}
