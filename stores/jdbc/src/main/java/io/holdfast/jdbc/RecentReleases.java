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

    /** By their first 64 random bits: hashing the record itself would cost a short-lived process milliseconds. */
    private final Map<Long, HolderId> holders = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, HolderId> eldest) {
            return size() > KEPT;
        }
    };

    void add(HolderId holder) {
        holders.put(holder.high(), holder);
    }

    boolean contains(HolderId holder) {
        HolderId found = holders.get(holder.high());
        return found != null && LeaseRow.same(found, holder);
    }
}
