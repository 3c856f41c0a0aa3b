package io.holdfast.sqlite;

import io.holdfast.spi.HolderId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tombstones, in memory, of the last holders that this store released in good order. An exclusive release writes no
 * tombstone to the file, because that would cost a second row for every lock. The name's row remembers its last holder;
 * this remembers the holders before it, for a request that is repeated after its own release. Only the process that made
 * a request can repeat it: nothing is sent over a network here.
 *
 * <p>Bounded by number and not by time, because a release takes microseconds here. Not thread-safe: used by the thread
 * that has the connection that writes.
 */
final class RecentTombstones {
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
