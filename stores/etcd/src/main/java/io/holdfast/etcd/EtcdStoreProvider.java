package io.holdfast.etcd;

import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Opens {@code etcd://} and {@code etcds://}. */
public final class EtcdStoreProvider implements StoreProvider {
    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("etcd", "etcd://e1,e2,e3"), new Scheme("etcds", "etcds://e1,e2,e3"));
    }

    @Override
    public String artifact() {
        return "holdfast-etcd";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        Set<String> known = new HashSet<>(EtcdConfig.OPTIONS);
        known.addAll(EtcdAddress.OPTIONS);
        url.allowOnly(known);
        EtcdAddress address = EtcdAddress.of(url);
        EtcdConfig config = EtcdConfig.of(url, settings.namespace());
        EtcdCalls calls = new EtcdCalls(address.client(config.ioTimeout()), true, url.toString(), config.ioTimeout());
        try {
            ServerCheck.run(calls, config);
            return new EtcdLockStore(calls, config);
        } catch (RuntimeException e) {
            calls.close();
            throw e;
        }
    }
}
