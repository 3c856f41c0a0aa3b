package io.holdfast.bench.workloads;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** Who takes part. */
enum RedisPeers {
    /** {@code SET NX PX} and compare-and-delete on one shared connection: no token, no queue, no renewal, no waiting. */
    RAW("raw Lettuce"),
    /** Ours. */
    HOLDFAST("holdfast"),
    /** Redisson's ordinary lock. */
    REDISSON("Redisson RLock"),
    /** Redisson's lock with a token. */
    REDISSON_FENCED("Redisson RFencedLock"),
    /** Redisson's fair lock. */
    REDISSON_FAIR("Redisson fair"),
    /** Spring Integration's registry, waiting by trying again. */
    SPRING_SPIN("Spring Integration spin"),
    /** Spring Integration's registry, waiting for a message. */
    SPRING_PUBSUB("Spring Integration pub/sub");

    private static final String COMPARE_AND_DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final String title;

    RedisPeers(String title) {
        this.title = title;
    }

    /** Its name in the report. */
    String title() {
        return title;
    }

    /** A client of the server on this port. */
    RedisPeer open(int port) {
        return switch (this) {
            case RAW -> raw(port);
            case HOLDFAST -> holdfast(Holdfast.open("redis://127.0.0.1:" + port));
            case REDISSON -> redisson(port, RedissonClient::getLock);
            case REDISSON_FENCED -> redisson(port, RedissonClient::getFencedLock);
            case REDISSON_FAIR -> redisson(port, RedissonClient::getFairLock);
            case SPRING_SPIN -> spring(port, RedisLockRegistry.RedisLockType.SPIN_LOCK);
            case SPRING_PUBSUB -> spring(port, RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
        };
    }

    private static RedisPeer raw(int port) {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
        RedisCommands<String, String> redis = client.connect().sync();
        String digest = redis.scriptLoad(COMPARE_AND_DELETE);
        SetArgs absent = SetArgs.Builder.nx().px(30_000);
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                return new Handle() {
                    private String value = "";

                    @Override
                    public long lock() {
                        value = UUID.randomUUID().toString();
                        if (!"OK".equals(redis.set(name, value, absent))) {
                            throw new IllegalStateException(name + " is held: the raw floor does not wait");
                        }
                        return 0;
                    }

                    @Override
                    public void unlock() {
                        Long deleted = redis.evalsha(digest, ScriptOutputType.INTEGER, new String[] {name}, value);
                        if (deleted == null || deleted != 1) {
                            throw new IllegalStateException(name + " was not held");
                        }
                    }
                };
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    /** Ours, on any store. */
    static RedisPeer holdfast(Holdfast client) {
        LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(5));
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                DistributedLock lock = client.mutex(name);
                return new Handle() {
                    private @Nullable Lease lease;

                    @Override
                    public long lock() throws InterruptedException {
                        Lease taken = lock.acquire(patient);
                        lease = taken;
                        return taken.token();
                    }

                    @Override
                    public void unlock() {
                        Objects.requireNonNull(lease).close();
                    }
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private static RedisPeer redisson(int port, BiFunction<RedissonClient, String, RLock> kind) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        RedissonClient client = Redisson.create(config);
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                RLock lock = kind.apply(client, name);
                return new Handle() {
                    @Override
                    public long lock() {
                        if (lock instanceof RFencedLock fenced) {
                            return fenced.lockAndGetToken();
                        }
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
                client.shutdown();
            }
        };
    }

    private static RedisPeer spring(int port, RedisLockRegistry.RedisLockType type) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
        factory.afterPropertiesSet();
        factory.start();
        RedisLockRegistry registry = new RedisLockRegistry(factory, "bench", 30_000);
        registry.setRedisLockType(type);
        return new RedisPeer() {
            @Override
            public Handle handle(String name) {
                Lock lock = registry.obtain(name);
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
                registry.destroy();
                factory.destroy();
            }
        };
    }
}
