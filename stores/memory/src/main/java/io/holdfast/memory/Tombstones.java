package io.holdfast.memory;

import io.holdfast.spi.HolderId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Holder ids that are never granted again (L1, S6).
 *
 * <p>Ids of which nothing was found, whose lease ended by itself, that left the queue or were revoked are kept for 10 s
 * without exception. An id that was released in good order could only come back as a duplicate of its own request; of
 * those the last {@value #RECENT} are kept, so that a busy table does not remember ten seconds of history.
 */
final class Tombstones {
    static final long LIFE_NANOS = 10_000_000_000L;
    private static final int RECENT = 1024;

    private record Stone(long until, boolean revoked) {}

    private final Map<HolderId, Stone> strict = new LinkedHashMap<>();
    private final Map<HolderId, Boolean> recent = new LinkedHashMap<>();

    /** Nothing of this id may be granted for 10 s. */
    void bury(HolderId holder, boolean revoked, long now) {
        sweep(now);
        strict.putIfAbsent(holder, new Stone(now + LIFE_NANOS, revoked));
    }

    /** This id was released in good order. */
    void retire(HolderId holder) {
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
