package io.holdfast.engine.client;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Finds the store of a URL among the providers on the class path. */
final class StoreDirectory {
    private StoreDirectory() {}

    static LockStore open(String text, StoreProvider.Settings settings) {
        StoreUrl url = StoreUrl.parse(text);
        List<String> examples = new ArrayList<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.opens(url.scheme())) {
                return provider.open(url, settings);
            }
            examples.add(provider.schemes().get(0).example() + " (" + provider.artifact() + ")");
        }
        String known = examples.isEmpty()
                ? "there is no store on the class path"
                : "the stores on the class path open " + String.join(", ", examples);
        throw new IllegalArgumentException("store URL '" + url + "' has the scheme '" + url.scheme()
                + "', which no store on the class path opens: check the spelling, or add the artifact of that store"
                + " (docs/choosing.md lists them); " + known);
    }
}
