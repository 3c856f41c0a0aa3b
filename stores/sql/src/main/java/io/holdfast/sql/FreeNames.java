package io.holdfast.sql;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Names that were free when this client last heard of them: a simpler statement will most likely take them. */
final class FreeNames {
    private static final int MOST = 10_000;

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    boolean contains(String name) {
        return names.contains(name);
    }

    /** It is a guess: forgetting all of them costs one statement each. */
    void add(String name) {
        if (names.size() >= MOST) {
            names.clear();
        }
        names.add(name);
    }

    void remove(String name) {
        names.remove(name);
    }
}
