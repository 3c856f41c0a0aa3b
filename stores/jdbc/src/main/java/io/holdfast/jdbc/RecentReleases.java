package io.holdfast.jdbc;

import io.holdfast.spi.HolderId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last holders that this store released in good order. An exclusive release writes no tombstone, because that would
 * cost a second row for every lock. The name's row remembers its last holder; this remembers those before, for a request
 * that is repeated after its own release. Only its own process can repeat it: nothing is sent over a network here.
 *
 * <p>Not thread-safe: used by whoever has the turn to write.
 */
final class RecentReleases {
    static final int KEPT = 1024;

    private final Map<HolderId, Boolean> holders = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<HolderId, Boolean> eldest) {
            return size() > KEPT;
        }
    };

    void add(HolderId holder) {
        holders.put(holder, true);
    }

    boolean contains(HolderId holder) {
        return holders.containsKey(holder);
    }
}
