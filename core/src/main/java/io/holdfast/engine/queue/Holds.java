package io.holdfast.engine.queue;

import io.holdfast.Mode;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The grants of one name that this client holds, and its lost leases that are not closed: a part of {@link LocalQueue}. */
final class Holds {
    private @Nullable HeldGrant exclusive;

    /** Shared grants and permits with the owners of their leases, in the order of the grants: simulations repeat. */
    private @Nullable Map<HeldGrant, Object> shared;

    /** The shared grants by the owner of their lease. The lease knows whether it is still bound to that owner. */
    private @Nullable Map<Object, HeldGrant> sharedByOwner;

    private @Nullable List<LostLease> lost;
    private int permitsHeld;
    private int permits;

    /** Adds a grant whose first lease belongs to {@code owner}. */
    void add(HeldGrant grant, Object owner) {
        if (grant.claim().mode() == Mode.EXCLUSIVE) {
            exclusive = grant;
            return;
        }
        shared = shared == null ? new LinkedHashMap<>() : shared;
        shared.put(grant, owner);
        if (grant.claim().mode() == Mode.PERMIT) {
            permitsHeld++;
            permits = grant.claim().permits();
        } else {
            sharedByOwner = sharedByOwner == null ? new IdentityHashMap<>() : sharedByOwner;
            sharedByOwner.put(owner, grant);
        }
    }

    void remove(HeldGrant grant) {
        if (exclusive == grant) {
            exclusive = null;
            return;
        }
        Object owner = shared == null ? null : shared.remove(grant);
        if (shared == null || owner == null) {
            return;
        }
        if (grant.claim().mode() == Mode.PERMIT) {
            permitsHeld--;
        } else if (sharedByOwner != null) {
            sharedByOwner.remove(owner, grant);
        }
        shared = shared.isEmpty() ? null : shared;
    }

    boolean isEmpty() {
        return exclusive == null && shared == null && lost == null;
    }

    boolean exclusive() {
        return exclusive != null;
    }

    boolean isExclusive(HeldGrant grant) {
        return exclusive == grant;
    }

    @Nullable
    HeldGrant exclusiveGrant() {
        return exclusive;
    }

    /** Of how many permits this client holds one; 0 if it holds none. */
    int permits() {
        return permitsHeld > 0 ? permits : 0;
    }

    List<HeldGrant> all() {
        List<HeldGrant> all = shared == null ? new ArrayList<>(1) : new ArrayList<>(shared.keySet());
        if (exclusive != null) {
            all.add(exclusive);
        }
        return all;
    }

    void remember(LostLease lease) {
        lost = lost == null ? new ArrayList<>(1) : lost;
        lost.add(lease);
    }

    /** A lost lease was closed. */
    void forget(LeaseHandle lease) {
        if (lost != null) {
            lost.removeIf(reference -> reference.refersTo(lease));
            lost = lost.isEmpty() ? null : lost;
        }
    }

    /** A lost lease is out of the program's reach. */
    void forget(LostLease lease) {
        if (lost != null) {
            lost.remove(lease);
            lost = lost.isEmpty() ? null : lost;
        }
    }

    /** The lease that is bound to this owner, also a lost one that is not closed. Permits are not re-entrant. */
    @Nullable
    LeaseHandle leaseOf(Object owner) {
        LeaseHandle held = exclusive == null ? null : exclusive.lease();
        if (held != null && held.boundTo(owner)) {
            return held;
        }
        HeldGrant ofOwner = sharedByOwner == null ? null : sharedByOwner.get(owner);
        held = ofOwner == null ? null : ofOwner.lease();
        if (held != null && held.boundTo(owner)) {
            return held;
        }
        for (LostLease each : lost == null ? List.<LostLease>of() : lost) {
            LeaseHandle lease = each.get();
            if (lease != null && lease.boundTo(owner)) {
                return lease;
            }
        }
        return null;
    }
}
