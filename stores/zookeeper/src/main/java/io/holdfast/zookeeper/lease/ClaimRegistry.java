package io.holdfast.zookeeper.lease;

import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.support.Tombstones;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a store by holder id, and tombstones of those that are over (L1). Tombstones are kept in this process only:
 * all requests of a claim come from one client, and within a session they keep their order. Thread-safe.
 *
 * @param <C> the kind of claim
 */
public final class ClaimRegistry<C extends SessionClaim> {
    private final ConcurrentMap<HolderId, C> claims = new ConcurrentHashMap<>();
    private final StoreSetup setup;
    private final Tombstones tombstones;
    private final LeaseExpiry expiry;

    /** No claim yet. */
    public ClaimRegistry(StoreSetup setup) {
        this.setup = setup;
        this.tombstones = new Tombstones(setup.context().ticker());
        this.expiry = new LeaseExpiry(setup);
    }

    /** The claim with this holder id; null if there is none. */
    public @Nullable C find(HolderId holder) {
        return claims.get(holder);
    }

    /** The claim with the holder id and the lock name of {@code wanted}; null if there is none. */
    public @Nullable C find(Claim wanted) {
        C found = claims.get(wanted.holder());
        return found != null && found.claim().lockName().equals(wanted.lockName()) ? found : null;
    }

    /** All claims, in no order. */
    public Collection<C> all() {
        return claims.values();
    }

    /**
     * Adds a claim before its first request is sent. A release that comes later finds the claim; one that came earlier has
     * left a tombstone.
     *
     * @throws io.holdfast.StoreUnavailableException if the claim was released, or its session has ended, meanwhile
     */
    public C add(C claim) {
        claims.put(claim.claim().holder(), claim);
        boolean withdrawn = isOver(claim.claim());
        if (claim.session().isOver() || withdrawn) {
            forget(claim);
            throw claim.session().isOver()
                    ? setup.errors().noSession()
                    : setup.errors().withdrawn(claim.claim());
        }
        return claim;
    }

    /** The claim was granted: it is ended when its TTL is over. */
    public void granted(C claim) {
        expiry.add(claim, setup.now());
    }

    /** The claim has ended as its caller wanted. */
    public void forget(C claim) {
        claims.remove(claim.claim().holder(), claim);
        expiry.remove(claim);
    }

    /** The claim has ended without a release, and must not be granted again. */
    public void bury(C claim) {
        bury(claim.claim());
        forget(claim);
    }

    /** A claim with this holder id must not be granted any more. */
    public void bury(Claim claim) {
        tombstones.add(claim.holder());
    }

    /** Whether a claim with this holder id must not be granted any more. */
    public boolean isOver(Claim claim) {
        return tombstones.contains(claim.holder());
    }

    /** The store is closed. */
    void clear() {
        claims.clear();
    }
}
