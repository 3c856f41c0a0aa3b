package io.holdfast.etcd.claim;

import io.holdfast.Ticker;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.session.EtcdLease;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.support.Tombstones;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this client that have, or may have, a key in etcd: from before the key is put until it is known to be
 * deleted. Also remembers the holder ids that ended last: a late duplicate of their request is not sent again (S6).
 */
final class ClaimRegistry {
    private final KeySpace keys;
    private final ConcurrentMap<HolderId, KeyClaim> claims = new ConcurrentHashMap<>();
    private final ConcurrentMap<HolderId, KeyClaim> doubtful = new ConcurrentHashMap<>();
    private final KeySlots slots = new KeySlots();
    private final Tombstones ended;

    ClaimRegistry(KeySpace keys, Ticker ticker) {
        this.keys = keys;
        this.ended = new Tombstones(ticker);
    }

    /** This claim, if it is registered; null if only a claim of the same holder id for another lock is. */
    @Nullable
    KeyClaim of(Claim claim) {
        return ofLock(claim, claims.get(claim.holder()));
    }

    boolean contains(HolderId holder) {
        return claims.containsKey(holder);
    }

    /** Registers this claim, or returns the one that is registered. */
    KeyClaim register(Claim claim, long endsAt) {
        KeyClaim earlier = doubtful(claim);
        int slot = earlier == null ? slots.take(claim.lockName()) : earlier.slot;
        KeyClaim fresh = new KeyClaim(claim, keys, slots.client(), slot, endsAt);
        KeyClaim other = claims.putIfAbsent(claim.holder(), fresh);
        if (other != null && earlier == null) {
            slots.free(claim.lockName(), slot);
        }
        return other == null ? fresh : other;
    }

    /** This claim, if a request about it had an unknown outcome and its release was not answered yet. */
    @Nullable
    KeyClaim doubtful(Claim claim) {
        return ofLock(claim, doubtful.get(claim.holder()));
    }

    /** It is unknown whether the key exists. The slot is not used again before the release of the claim is answered. */
    void doubt(KeyClaim claim) {
        claims.remove(claim.claim.holder(), claim);
        doubtful.put(claim.claim.holder(), claim);
    }

    /** The key is known to be deleted: the slot can be used again. */
    void keyGone(KeyClaim claim) {
        doubtful.remove(claim.claim.holder());
        if (claim.freeSlot()) {
            slots.free(claim.claim.lockName(), claim.slot);
        }
    }

    Collection<KeyClaim> all() {
        return claims.values();
    }

    /** Whether the key or the lock-delay of a claim is on this lease. */
    boolean uses(EtcdLease lease) {
        return claims.values().stream().anyMatch(claim -> claim.uses(lease));
    }

    /** The claim has ended: a late duplicate of its request must not bring it back. */
    void remove(KeyClaim claim) {
        claims.remove(claim.claim.holder(), claim);
        ended(claim.claim.holder());
    }

    /** The claim has ended and its key is known to be deleted. */
    void over(KeyClaim claim) {
        remove(claim);
        keyGone(claim);
    }

    /**
     * The claim was not granted: {@code failure} says why, null if it was refused. If the key may be there, the claim
     * is doubtful; otherwise the same claim may be asked for again.
     */
    void failed(KeyClaim claim, @Nullable Throwable failure) {
        if (failure != null && Failures.outcomeUnknown(failure)) {
            doubt(claim);
        } else {
            claims.remove(claim.claim.holder(), claim);
            keyGone(claim);
        }
    }

    void ended(HolderId holder) {
        ended.add(holder);
    }

    boolean hasEnded(HolderId holder) {
        return ended.contains(holder);
    }

    private static @Nullable KeyClaim ofLock(Claim claim, @Nullable KeyClaim known) {
        return known != null && known.claim.lockName().equals(claim.lockName()) ? known : null;
    }
}
