package io.holdfast.bench.engine;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceLoader;

/** The embedded store on a file of its own, opened the way a client opens it. */
public final class SqliteFile {
    private SqliteFile() {}

    public static LockStore open(Path file) {
        StoreUrl url = StoreUrl.parse("sqlite:" + file);
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.opens(url.scheme()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no store for " + url + " on the class path"))
                .open(url, new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }
}
