package io.holdfast.bench.library;

import io.holdfast.bench.measure.LockClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** The libraries for Redis. */
public final class RedisLibraries implements LockLibraries {
    /** {@code SET NX PX} and compare-and-delete on one shared connection: no token, no queue, no renewal, no waiting. */
    public static final LockLibrary RAW = LockLibrary.floor("raw Lettuce", (url, ttl) -> raw(url));

    /** The least a hand-off can be, one command on each side: the client that popped the one element of a list has the lock. */
    public static final LockLibrary RAW_POP = LockLibrary.floor("raw BLPOP", (url, ttl) -> pop(url));

    /** Redisson's ordinary lock, held without a lease time as its documentation recommends: its watchdog renews it. */
    public static final LockLibrary REDISSON = redisson("Redisson RLock", RedissonClient::getLock);

    /** Redisson's lock with a token. */
    public static final LockLibrary REDISSON_FENCED = redisson("Redisson RFencedLock", RedissonClient::getFencedLock);

    /** Redisson's fair lock. Where locks are held and not passed, it is the ordinary one. */
    public static final LockLibrary REDISSON_FAIR = redisson("Redisson fair", RedissonClient::getFairLock)
            .without(
                    QuestionIds.RENEWALS,
                    QuestionIds.NAMES,
                    QuestionIds.RECOVERY,
                    QuestionIds.HELD_GROWTH,
                    QuestionIds.WAITERS_GROWTH);

    /** Spring Integration's registry, waiting by trying again. */
    public static final LockLibrary SPRING_SPIN =
            spring("Spring Integration spin", RedisLockRegistry.RedisLockType.SPIN_LOCK);

    /** Spring Integration's registry, waiting for a message. */
    public static final LockLibrary SPRING_PUBSUB =
            spring("Spring Integration pub/sub", RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);

    public static final String COMPARE_AND_DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    /** Every lock that waits. */
    public static final List<LockLibrary> LOCKS =
            List.of(HoldfastLibrary.DEFAULT, REDISSON, REDISSON_FENCED, REDISSON_FAIR, SPRING_SPIN, SPRING_PUBSUB);

    @Override
    public List<LockLibrary> all() {
        return LOCKS;
    }

    private static LockClient raw(String url) {
        RedisClient client = RedisClient.create(url);
        RedisCommands<String, String> redis = client.connect().sync();
        String digest = redis.scriptLoad(COMPARE_AND_DELETE);
        SetArgs absent = SetArgs.Builder.nx().px(30_000);
        return LockClient.of(
                name -> new LockClient.Handle() {
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
                },
                client::shutdown);
    }

    /** A connection per client, because a popping one is busy until it gets something. */
    private static LockClient pop(String url) {
        RedisClient client = RedisClient.create(url);
        StatefulRedisConnection<String, String> patient = client.connect();
        patient.setTimeout(Duration.ofMinutes(1));
        RedisCommands<String, String> redis = patient.sync();
        return LockClient.of(
                name -> {
                    if ("OK".equals(redis.set(name + " exists", "1", SetArgs.Builder.nx()))) {
                        redis.lpush(name, "1");
                    }
                    return LockClient.Handle.of(
                            () -> {
                                if (redis.blpop(60, name) == null) {
                                    throw new IllegalStateException(name + " was not given back");
                                }
                                return 0;
                            },
                            () -> redis.lpush(name, "1"),
                            LockClient.NOT_ASKED);
                },
                client::shutdown);
    }

    private static LockLibrary redisson(String title, BiFunction<RedissonClient, String, RLock> kind) {
        return LockLibrary.peer(title, (url, ttl) -> {
            Config config = new Config();
            config.setLockWatchdogTimeout(ttl.toMillis());
            config.useSingleServer().setAddress(url);
            RedissonClient client = Redisson.create(config);
            return LockClient.of(name -> handle(kind.apply(client, name)), client::shutdown);
        });
    }

    private static LockClient.Handle handle(RLock lock) {
        return lock instanceof RFencedLock fenced
                ? LockClient.Handle.of(fenced::lockAndGetToken, fenced::unlock, fenced::isLocked)
                : LockClient.Handle.of(lock, lock::isLocked);
    }

    /** It renews with a scheduler of ours only, and two names may share its local lock: it cannot hold many. */
    private static LockLibrary spring(String title, RedisLockRegistry.RedisLockType type) {
        return LockLibrary.peer(title, (url, ttl) -> {
                    RedisURI address = RedisURI.create(url);
                    LettuceConnectionFactory factory =
                            new LettuceConnectionFactory(address.getHost(), address.getPort());
                    factory.afterPropertiesSet();
                    factory.start();
                    RedisLockRegistry registry = new RedisLockRegistry(factory, "bench", ttl);
                    registry.setRedisLockType(type);
                    return LockClient.of(
                            name -> LockClient.Handle.of(registry.obtain(name), LockClient.NOT_ASKED), () -> {
                                registry.destroy();
                                factory.destroy();
                            });
                })
                .without(QuestionIds.RENEWALS, QuestionIds.RECOVERY, QuestionIds.HELD_GROWTH);
    }
}
