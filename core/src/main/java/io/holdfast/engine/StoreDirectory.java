package io.holdfast.engine;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;

/** Finds the store of a URL among the providers on the class path. */
final class StoreDirectory {
    /** The schemes of Holdfast's own stores and the artifact that brings each. */
    private static final Map<String, String> KNOWN = known();

    private StoreDirectory() {}

    static LockStore open(String text, StoreProvider.Settings settings) {
        StoreUrl url = StoreUrl.parse(text);
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.schemes().contains(url.scheme())) {
                return provider.open(url, settings);
            }
        }
        String artifact = KNOWN.get(url.scheme());
        throw new IllegalArgumentException(
                artifact != null
                        ? "store URL '" + url + "': the scheme '" + url.scheme()
                                + "' comes with the artifact io.holdfast:" + artifact
                                + ", which is not on the class path"
                        : "store URL '" + url + "' has the unknown scheme '" + url.scheme() + "'; known are " + list());
    }

    private static String list() {
        StringBuilder text = new StringBuilder();
        KNOWN.forEach((scheme, artifact) -> text.append(text.isEmpty() ? "" : ", ")
                .append(scheme)
                .append(": (")
                .append(artifact)
                .append(")"));
        return text.toString();
    }

    private static Map<String, String> known() {
        Map<String, String> schemes = new LinkedHashMap<>();
        schemes.put("memory", "holdfast-memory");
        schemes.put("sqlite", "holdfast-jdbc");
        schemes.put("jdbc", "holdfast-jdbc");
        schemes.put("redis", "holdfast-redis");
        schemes.put("rediss", "holdfast-redis");
        schemes.put("redis-sentinel", "holdfast-redis");
        schemes.put("redis-cluster", "holdfast-redis");
        schemes.put("redlock", "holdfast-redlock");
        schemes.put("zk", "holdfast-zookeeper");
        schemes.put("zks", "holdfast-zookeeper");
        schemes.put("etcd", "holdfast-etcd");
        schemes.put("etcds", "holdfast-etcd");
        schemes.put("http", "holdfast-remote");
        schemes.put("https", "holdfast-remote");
        return schemes;
    }
}
