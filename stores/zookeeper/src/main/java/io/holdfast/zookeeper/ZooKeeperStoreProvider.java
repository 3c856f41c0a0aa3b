package io.holdfast.zookeeper;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.List;

/** Opens {@code zk://} and, with TLS, {@code zks://}. */
public final class ZooKeeperStoreProvider implements StoreProvider {
    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("zk", "zk://z1,z2,z3"), new Scheme("zks", "zks://z1,z2,z3"));
    }

    @Override
    public String artifact() {
        return "holdfast-zookeeper";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        url.allowOnly(ZooKeeperConfig.OPTIONS);
        ZooKeeperConfig config = ZooKeeperConfig.of(url, settings.namespace(), settings.defaultTtl());
        return ZooKeeperLockStore.opened(config, url.toString());
    }
}
