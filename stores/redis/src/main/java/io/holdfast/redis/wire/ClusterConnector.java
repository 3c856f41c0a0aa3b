package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A Redis Cluster. Lettuce keeps a connection per node, follows redirections and reads the topology again when something
 * changes. Commands that were under way when a connection broke end with it and are not sent again.
 */
public final class ClusterConnector implements Connector {
    private static final Duration REFRESH = Duration.ofSeconds(30);
    private static final long INFO_MILLIS = 1000;

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

    /** With a client that the caller closes. Its options stay as they are. */
    public static ClusterConnector over(RedisClusterClient client) {
        return new ClusterConnector(client, false);
    }

    @Override
    public CompletionStage<RedisConnection> connect() {
        return client.refreshPartitionsAsync()
                .thenCompose(done -> client.connectAsync(StringCodec.UTF8))
                .thenApply(connection -> new RedisConnection(connection, connection.async()));
    }

    @Override
    public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return client.connectPubSubAsync(StringCodec.UTF8).thenApply(connection -> connection);
    }

    @Override
    public boolean sharded() {
        return true;
    }

    /** Of every primary that answers in time; a node that is out of reach does not keep the others from being used. */
    @Override
    public CompletionStage<List<String>> infos(RedisConnection connection) {
        RedisAdvancedClusterAsyncCommands<String, String> all =
                (RedisAdvancedClusterAsyncCommands<String, String>) connection.commands();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (CompletableFuture<String> info : all.upstream().commands().info()) {
            answers.add(info.copy().completeOnTimeout("", INFO_MILLIS, TimeUnit.MILLISECONDS));
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> {
                    List<String> texts = answers.stream()
                            .filter(answer -> !answer.isCompletedExceptionally())
                            .map(CompletableFuture::join)
                            .filter(text -> !text.isEmpty())
                            .toList();
                    if (texts.isEmpty()) {
                        throw new StoreUnavailableException("no primary of the cluster answers", false, failure);
                    }
                    return texts;
                });
    }

    @Override
    public Runnable watch(RedisConnectionStateListener listener) {
        client.addListener(listener);
        return () -> client.removeListener(listener);
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
