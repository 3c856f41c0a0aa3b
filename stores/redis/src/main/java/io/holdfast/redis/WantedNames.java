package io.holdfast.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that somebody else waited for when this client last released them, and so probably does again. A guess that
 * costs a command if it is wrong and some microseconds if it is missing; so it is forgotten at the first release that
 * meets nobody, and all of it if there is too much. Thread-safe.
 */
final class WantedNames {
    private static final int MOST = 1000;

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    boolean contains(String name) {
        return !names.isEmpty() && names.contains(name);
    }

    /** A release of this lock handed it on, or did not. */
    void released(String name, boolean handedOn) {
        if (!handedOn) {
            if (!names.isEmpty()) {
                names.remove(name);
            }
        } else if (names.add(name) && names.size() > MOST) {
            names.clear();
        }
    }
}
