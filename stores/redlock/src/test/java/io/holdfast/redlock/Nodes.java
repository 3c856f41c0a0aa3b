package io.holdfast.redlock;

import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Independent real servers, started together. */
final class Nodes implements AutoCloseable {
    private final List<RedisServer> servers = new ArrayList<>();

    private Nodes() {}

    static Nodes start(int count) {
        return start(count, RedisOptions.defaults());
    }

    static Nodes start(int count, RedisOptions options) {
        Nodes nodes = new Nodes();
        try {
            for (int i = 0; i < count; i++) {
                nodes.servers.add(RedisServer.open(options));
            }
            return nodes;
        } catch (RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    /** Five that have been up for longer than this {@code maxTtl}: as if their first quarantine had passed. */
    static Nodes settled(Duration maxTtl) {
        return settled(maxTtl, RedisOptions.defaults());
    }

    static Nodes settled(Duration maxTtl, RedisOptions options) {
        Nodes nodes = start(5, options);
        nodes.servers.forEach(server -> server.call(
                "HSET",
                "hfr:node",
                "run",
                server.info("server").getOrDefault("run_id", ""),
                "until",
                "0",
                "epoch",
                "settled",
                "learned",
                "1",
                "floor",
                "0",
                "max",
                Long.toString(maxTtl.toMillis())));
        return nodes;
    }

    RedisServer get(int at) {
        return servers.get(at);
    }

    List<RedisServer> all() {
        return servers;
    }

    /**
     * Two nodes forget the votes for a name, which leaves a bare majority of them. A grant is answered with the third
     * vote: the others may still be on their way, and would come back.
     */
    void leaveBareMajority(String lockName) {
        String votes = "hfr:l:" + lockName;
        await().atMost(TestTime.patience())
                .until(() -> servers.stream().allMatch(server -> Long.valueOf(1).equals(server.call("EXISTS", votes))));
        servers.get(3).call("DEL", votes);
        servers.get(4).call("DEL", votes);
    }

    String url(String options) {
        return servers.stream()
                .map(server -> "127.0.0.1:" + server.port())
                .collect(Collectors.joining(",", "redlock://", "?" + options));
    }

    RedlockStore open(String options) {
        return open(StoreUrl.parse(url(options)));
    }

    static RedlockStore open(StoreUrl url) {
        return (RedlockStore)
                new RedlockStoreProvider().open(url, new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
