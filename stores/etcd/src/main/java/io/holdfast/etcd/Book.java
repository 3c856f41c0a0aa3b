package io.holdfast.etcd;

import io.holdfast.spi.Claim;
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
    private final ConcurrentMap<HolderId, Place> doubtful = new ConcurrentHashMap<>();
    private final Slots slots = new Slots();
    private final Set<HolderId> ended = new HashSet<>();
    private final Deque<HolderId> endedInOrder = new ArrayDeque<>();

    @Nullable
    Place of(HolderId holder) {
        return places.get(holder);
    }

    /** The place of this claim; a claim of the same holder id for another lock has none. */
    @Nullable
    Place of(Claim claim) {
        return ofLock(claim, places.get(claim.holder()));
    }

    /** A new place for this claim, or the one it has. */
    Place place(Claim claim, KeySpace keys, long endsAt) {
        Place earlier = doubtful(claim);
        int slot = earlier == null ? slots.take(claim.lockName()) : earlier.slot;
        Place place = new Place(claim, keys, slots.client(), slot, endsAt);
        Place other = places.putIfAbsent(claim.holder(), place);
        if (other != null && earlier == null) {
            slots.free(claim.lockName(), slot);
        }
        return other == null ? place : other;
    }

    /** What is known of a claim whose request had an unknown outcome, until its release is answered. */
    @Nullable
    Place doubtful(Claim claim) {
        return ofLock(claim, doubtful.get(claim.holder()));
    }

    /** Nobody knows whether its key is there; whoever asked will release it. */
    void doubt(Place place) {
        places.remove(place.claim.holder(), place);
        doubtful.put(place.claim.holder(), place);
    }

    /** Its key is known to be gone: the slot can be used again. */
    void keyGone(Place place) {
        doubtful.remove(place.claim.holder());
        if (place.freeSlot()) {
            slots.free(place.claim.lockName(), place.slot);
        }
    }

    private static @Nullable Place ofLock(Claim claim, @Nullable Place place) {
        return place != null && place.claim.lockName().equals(claim.lockName()) ? place : null;
    }

    Collection<Place> all() {
        return places.values();
    }

    /** It will not be asked for again: a late duplicate of its request must not bring it back. */
    void remove(Place place) {
        places.remove(place.claim.holder(), place);
        ended(place.claim.holder());
    }

    /** Its request had no effect, or none that is left: it may be made again. */
    void forget(Place place) {
        places.remove(place.claim.holder(), place);
        keyGone(place);
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
