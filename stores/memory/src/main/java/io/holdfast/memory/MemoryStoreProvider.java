package io.holdfast.memory;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.util.List;
import java.util.Set;

/** Opens {@code memory:name}: the space of that name in this JVM, {@code memory:} being one of them. */
public final class MemoryStoreProvider implements StoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public MemoryStoreProvider() {}

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("memory", "memory:"));
    }

    @Override
    public String artifact() {
        return "holdfast-memory";
    }

    @Override
    public LockStore open(StoreUrl url, Settings settings) {
        url.allowOnly(Set.of());
        return new MemoryLockStore(MemorySpace.shared(url.rest(), settings.namespace()), url.toString());
    }
}
