package io.holdfast.etcd;

import io.holdfast.spi.HolderId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * All claims of this client that have, or may have, a key in etcd, from before they are sent until their key is known
 * to be gone or somebody else's business; and the holder ids that ended last, whose requests are not sent again (S6).
 */
final class Book {
    private static final int REMEMBERED = 1024;

    private final ConcurrentMap<HolderId, Place> places = new ConcurrentHashMap<>();
    private final Set<HolderId> ended = new HashSet<>();
    private final Deque<HolderId> endedInOrder = new ArrayDeque<>();

    @Nullable
    Place of(HolderId holder) {
        return places.get(holder);
    }

    Collection<Place> all() {
        return places.values();
    }

    /** Takes it in, unless the holder id has a place already: then that one is returned. */
    @Nullable
    Place add(Place place) {
        return places.putIfAbsent(place.claim.holder(), place);
    }

    /** It will not be asked for again: a late duplicate of its request must not bring it back. */
    void remove(Place place) {
        places.remove(place.claim.holder(), place);
        ended(place.claim.holder());
    }

    /** Its request had no effect, or none that is left: it may be made again. */
    void forget(Place place) {
        places.remove(place.claim.holder(), place);
    }

    void ended(HolderId holder) {
        synchronized (ended) {
            if (ended.add(holder)) {
                endedInOrder.addLast(holder);
                if (endedInOrder.size() > REMEMBERED) {
                    ended.remove(endedInOrder.removeFirst());
                }
            }
        }
    }

    boolean hasEnded(HolderId holder) {
        synchronized (ended) {
            return ended.contains(holder);
        }
    }
}
