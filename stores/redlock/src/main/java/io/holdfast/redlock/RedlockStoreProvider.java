package io.holdfast.redlock;

import io.holdfast.redlock.config.RedlockConfig;
import io.holdfast.redlock.node.Quorum;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.List;

/** Opens {@code redlock://host:port,host:port,…}. */
public final class RedlockStoreProvider implements StoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RedlockStoreProvider() {}

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("redlock", "redlock://r1,r2,r3,r4,r5"));
    }

    @Override
    public String artifact() {
        return "holdfast-redlock";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        RedlockConfig config = RedlockConfig.of(url, settings.namespace());
        return new RedlockStore(config, Quorum.open(config));
    }
}
