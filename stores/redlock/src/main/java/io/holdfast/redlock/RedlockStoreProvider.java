package io.holdfast.redlock;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.Set;

/** Opens {@code redlock://host:port,host:port,…}. */
public final class RedlockStoreProvider implements StoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RedlockStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("redlock");
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        RedlockConfig config = RedlockConfig.of(url, settings.namespace());
        return new RedlockStore(config, Quorum.open(config));
    }
}
