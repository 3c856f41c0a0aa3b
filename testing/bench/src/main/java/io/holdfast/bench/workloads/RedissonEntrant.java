package io.holdfast.bench.workloads;

import java.time.Duration;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks, held without a lease time as its documentation recommends: its watchdog renews them. */
final class RedissonEntrant {
    static final Entrant LOCK = Entrant.peer("Redisson RLock", opening(RedissonClient::getLock));
    static final Entrant FAIR = Entrant.peer("Redisson fair", opening(RedissonClient::getFairLock));

    private RedissonEntrant() {}

    private static Entrant.Opening opening(BiFunction<RedissonClient, String, RLock> kind) {
        return (url, ttl) -> new Client(url, ttl, kind);
    }

    private static final class Client implements LockClient {
        private final RedissonClient redisson;
        private final BiFunction<RedissonClient, String, RLock> kind;

        Client(String url, Duration ttl, BiFunction<RedissonClient, String, RLock> kind) {
            Config config = new Config();
            config.setLockWatchdogTimeout(ttl.toMillis());
            config.useSingleServer().setAddress(url);
            redisson = Redisson.create(config);
            this.kind = kind;
        }

        @Override
        public Handle handle(String name) {
            RLock lock = kind.apply(redisson, name);
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

                @Override
                public boolean isHeld() {
                    return lock.isLocked();
                }
            };
        }

        @Override
        public void close() {
            redisson.shutdown();
        }
    }
}
