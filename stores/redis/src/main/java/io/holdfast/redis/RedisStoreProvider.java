package io.holdfast.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Opens {@code redis://}, {@code rediss://} and their {@code -sentinel} and {@code -cluster} forms. */
public final class RedisStoreProvider implements StoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {}

    @Override
    public List<Scheme> schemes() {
        return List.of(
                new Scheme("redis", "redis://cache:6379"),
                new Scheme("rediss", "rediss://cache:6380"),
                new Scheme("redis-sentinel", "redis-sentinel://s1,s2,s3?master=NAME"),
                new Scheme("rediss-sentinel", "rediss-sentinel://s1,s2,s3?master=NAME"),
                new Scheme("redis-cluster", "redis-cluster://n1,n2,n3"),
                new Scheme("rediss-cluster", "rediss-cluster://n1,n2,n3"));
    }

    @Override
    public String artifact() {
        return "holdfast-redis";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        Set<String> known = new HashSet<>(RedisConfig.OPTIONS);
        known.addAll(RedisAddress.OPTIONS);
        url.allowOnly(known);
        RedisAddress address = RedisAddress.of(url);
        RedisConfig config = RedisConfig.of(url, settings.namespace());
        return RedisLockStore.opened(address.connector(config.ioTimeout()), config, url.toString());
    }
}
