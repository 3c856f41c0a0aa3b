package io.holdfast.bench.workloads;

import io.holdfast.Holdfast;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Who locks on several independent servers. */
enum RedlockPeers {
    /** {@code SET NX PX} to all at once until the third yes, then compare-and-delete: no token, no retry, no renewal. */
    RAW("raw parallel SET"),
    /** Ours. */
    HOLDFAST("holdfast"),
    /** Redisson's lock of several locks, which needs all of them. */
    REDISSON_MULTI("Redisson multi-lock");

    private static final String COMPARE_AND_DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final String title;

    RedlockPeers(String title) {
        this.title = title;
    }

    /** Its name in the report. */
    String title() {
        return title;
    }

    /** A client of the servers on these ports. */
    RedisPeer open(List<Integer> ports) {
        return switch (this) {
            case RAW -> new Raw(ports);
            // The servers have just been started: nobody can have forgotten a vote.
            case HOLDFAST ->
                RedisPeers.holdfast(Holdfast.open(ports.stream()
                        .map(port -> "127.0.0.1:" + port)
                        .collect(Collectors.joining(",", "redlock://", "?quarantine=off"))));
            case REDISSON_MULTI -> new Multi(ports);
        };
    }

    private static final class Raw implements RedisPeer {
        private final RedisClient client = RedisClient.create();
        private final List<RedisAsyncCommands<String, String>> nodes = new ArrayList<>();
        private final String digest;

        Raw(List<Integer> ports) {
            String loaded = "";
            for (int port : ports) {
                var connection = client.connect(io.lettuce.core.RedisURI.create("127.0.0.1", port));
                nodes.add(connection.async());
                loaded = connection.sync().scriptLoad(COMPARE_AND_DELETE);
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

    private static final class Multi implements RedisPeer {
        private final List<RedissonClient> clients = new ArrayList<>();

        Multi(List<Integer> ports) {
            for (int port : ports) {
                Config config = new Config();
                config.useSingleServer()
                        .setAddress("redis://127.0.0.1:" + port)
                        .setConnectionMinimumIdleSize(1)
                        .setConnectionPoolSize(2);
                clients.add(Redisson.create(config));
            }
        }

        @Override
        public Handle handle(String name) {
            RLock lock = new RedissonMultiLock(
                    clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
            return new Handle() {
                @Override
                public long lock() {
                    lock.lock();
                    return 0;
                }

                @Override
                public void unlock() {
                    lock.unlock();
                }
            };
        }

        @Override
        public void close() {
            clients.forEach(RedissonClient::shutdown);
        }
    }
}
