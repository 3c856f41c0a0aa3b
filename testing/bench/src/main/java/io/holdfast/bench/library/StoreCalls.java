package io.holdfast.bench.library;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the calls of stores that have no server which would count them. It stands before the store whatever the store
 * can do besides (queue, watch, mark), so the engine uses it as it would without. One count per JVM: a contestant has one
 * of its own.
 */
public final class StoreCalls {
    public static final String CALLS = "store calls";

    /** Not calls: what the engine does once. */
    private static final Set<String> NOT_COUNTED = Set.of("info", "attach", "close", "toString", "hashCode", "equals");

    private static final LongAdder COUNT = new LongAdder();

    private StoreCalls() {}

    /** Calls of all counted stores so far. */
    public static double total() {
        return COUNT.sum();
    }

    /** Opens the store that this URL names, as a client does, and counts from now on. */
    public static LockStore open(String url, Duration ttl) {
        StoreUrl parsed = StoreUrl.parse(url);
        LockStore store = ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.opens(parsed.scheme()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no store for " + parsed + " on the class path"))
                .open(parsed, new StoreProvider.Settings("", ttl));
        return counted(store);
    }

    private static LockStore counted(LockStore store) {
        Set<Class<?>> verbs = new LinkedHashSet<>();
        for (Class<?> type = store.getClass(); type != null; type = type.getSuperclass()) {
            verbs.addAll(Set.of(type.getInterfaces()));
        }
        return (LockStore) Proxy.newProxyInstance(
                StoreCalls.class.getClassLoader(), verbs.toArray(Class<?>[]::new), (self, verb, arguments) -> {
                    if (!NOT_COUNTED.contains(verb.getName())) {
                        COUNT.increment();
                    }
                    try {
                        return verb.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }
}
