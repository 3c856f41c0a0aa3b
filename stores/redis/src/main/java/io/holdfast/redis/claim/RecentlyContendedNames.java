package io.holdfast.redis.claim;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that another claim waited for when this client last released them. The next release of such a lock is
 * expected to hand it on again. A wrong guess costs one command, a missing one some microseconds. So a name is forgotten
 * at the first release that finds no waiter, and all names are if there are too many. Thread-safe.
 */
final class RecentlyContendedNames {
    private static final int MOST = 1000;

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    boolean contains(String name) {
        return !names.isEmpty() && names.contains(name);
    }

    /** A release of this lock handed it on, or found no waiter. */
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
