package io.holdfast.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.HashSet;
import java.util.Set;

/** Opens {@code redis://}, {@code rediss://} and their {@code -sentinel} and {@code -cluster} forms. */
public final class RedisStoreProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
        return RedisAddress.SCHEMES;
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
