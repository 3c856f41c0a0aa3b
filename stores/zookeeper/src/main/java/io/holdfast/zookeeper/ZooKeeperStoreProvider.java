package io.holdfast.zookeeper;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.Set;

/** Opens {@code zk://} and, with TLS, {@code zks://}. */
public final class ZooKeeperStoreProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
        return ZooKeeperConfig.SCHEMES;
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        url.allowOnly(ZooKeeperConfig.OPTIONS);
        ZooKeeperConfig config = ZooKeeperConfig.of(url, settings.namespace(), settings.defaultTtl());
        return ZooKeeperLockStore.opened(config, url.toString());
    }
}
