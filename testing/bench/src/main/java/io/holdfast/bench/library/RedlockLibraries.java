package io.holdfast.bench.library;

import io.holdfast.bench.measure.LockClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The libraries for several independent Redis servers. The URL is that of our store. */
public final class RedlockLibraries implements LockLibraries {
    /** {@code SET NX PX} to all at once until the third yes, then compare-and-delete: no token, no retry, no renewal. */
    public static final LockLibrary RAW = LockLibrary.floor("raw parallel SET", (url, ttl) -> new Raw(addresses(url)));

    /** Redisson's lock of several locks, which needs all of them. */
    public static final LockLibrary REDISSON_MULTI = LockLibrary.peer("Redisson multi-lock", RedlockLibraries::multi)
            // Its waiters try again and again on every server; a thousand of them get nowhere within a minute.
            .without(QuestionIds.WAITERS_GROWTH);

    @Override
    public List<LockLibrary> all() {
        return List.of(HoldfastLibrary.DEFAULT, RAW, REDISSON_MULTI);
    }

    /** The {@code redis://} address of every server in a URL of our store. */
    private static List<String> addresses(String url) {
        String list = url.substring(url.indexOf("://") + 3).replaceFirst("\\?.*", "");
        return Arrays.stream(list.split(",", -1)).map("redis://"::concat).toList();
    }

    private static LockClient multi(String url, Duration ttl) {
        List<RedissonClient> clients = new ArrayList<>();
        for (String address : addresses(url)) {
            Config config = new Config();
            config.setLockWatchdogTimeout(ttl.toMillis());
            config.useSingleServer()
                    .setAddress(address)
                    .setConnectionMinimumIdleSize(1)
                    .setConnectionPoolSize(8);
            clients.add(Redisson.create(config));
        }
        return LockClient.of(
                name -> {
                    RLock[] each =
                            clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new);
                    return LockClient.Handle.of(
                            new RedissonMultiLock(each),
                            () -> Arrays.stream(each).allMatch(RLock::isLocked));
                },
                () -> clients.forEach(RedissonClient::shutdown));
    }

    private static final class Raw implements LockClient {
        private final RedisClient client = RedisClient.create();
        private final List<RedisAsyncCommands<String, String>> nodes = new ArrayList<>();
        private final String digest;

        Raw(List<String> addresses) {
            String loaded = "";
            for (String address : addresses) {
                StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(address));
                nodes.add(connection.async());
                loaded = connection.sync().scriptLoad(RedisLibraries.COMPARE_AND_DELETE);
            }
            digest = loaded;
        }

        @Override
        public Handle handle(String name) {
            SetArgs absent = SetArgs.Builder.nx().px(30_000);
            return new Handle() {
                private String value = "";

                @Override
                public long lock() throws Exception {
                    value = UUID.randomUUID().toString();
                    majority(node -> node.set(name, value, absent).thenApply("OK"::equals));
                    return 0;
                }

                @Override
                public void unlock() throws Exception {
                    majority(node -> node.<Long>evalsha(digest, ScriptOutputType.INTEGER, new String[] {name}, value)
                            .thenApply(deleted -> deleted == 1));
                }
            };
        }

        private void majority(Function<RedisAsyncCommands<String, String>, CompletionStage<Boolean>> verb)
                throws Exception {
            CompletableFuture<Void> enough = new CompletableFuture<>();
            AtomicInteger missing = new AtomicInteger(nodes.size() / 2 + 1);
            for (RedisAsyncCommands<String, String> node : nodes) {
                verb.apply(node).whenComplete((yes, failure) -> {
                    if (failure == null && yes && missing.decrementAndGet() == 0) {
                        enough.complete(null);
                    }
                });
            }
            enough.get(10, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }
}
