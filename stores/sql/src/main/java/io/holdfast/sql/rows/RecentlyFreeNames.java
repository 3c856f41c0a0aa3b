package io.holdfast.sql.rows;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Names that were free when this client last heard of them: a simpler statement will most likely take them. */
public final class RecentlyFreeNames {
    private static final int MOST = 10_000;

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    /** Whether the name was free. */
    public boolean contains(String name) {
        return names.contains(name);
    }

    /** The name is free. This is a guess: forgetting all of them costs one statement each. */
    public void add(String name) {
        if (names.size() >= MOST) {
            names.clear();
        }
        names.add(name);
    }

    /** The name is not free any more. */
    public void remove(String name) {
        names.remove(name);
    }
}
