package io.holdfast.memory;

import io.holdfast.spi.HolderId;
import io.holdfast.spi.support.Tombstones;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Holder ids that a {@link LockTable} does not grant again (L1, S6). Times are those of the table.
 *
 * <p>An id is kept for 10 s if its release found nothing, if its lease expired, if it left the queue or if it was revoked.
 * An id that was released while it held could only come back as a duplicate of its own request. Of those only the last
 * {@value #RECENT} are kept, so that a busy table does not remember ten seconds of history.
 */
final class TableTombstones {
    private static final long LIFE_NANOS = Tombstones.LIFE.toNanos();
    private static final int RECENT = 1024;

    private record Stone(long until, boolean revoked) {}

    private final Map<HolderId, Stone> strict = new LinkedHashMap<>();
    private final Map<HolderId, Boolean> recent = new LinkedHashMap<>();

    /** This id is not granted for 10 s. */
    void add(HolderId holder, boolean revoked, long now) {
        sweep(now);
        strict.putIfAbsent(holder, new Stone(now + LIFE_NANOS, revoked));
    }

    /** This id was released while it held. */
    void addReleased(HolderId holder) {
        recent.put(holder, Boolean.TRUE);
        if (recent.size() > RECENT) {
            Iterator<HolderId> oldest = recent.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    boolean covers(HolderId holder, long now) {
        if (recent.containsKey(holder)) {
            return true;
        }
        Stone stone = strict.isEmpty() ? null : strict.get(holder);
        return stone != null && stone.until - now > 0;
    }

    boolean revoked(HolderId holder) {
        Stone stone = strict.get(holder);
        return stone != null && stone.revoked;
    }

    private void sweep(long now) {
        Iterator<Stone> oldest = strict.values().iterator();
        while (oldest.hasNext() && oldest.next().until - now <= 0) {
            oldest.remove();
        }
    }
}
