package io.holdfast.spi.support;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lease records of one name, and what follows from them for a claim. Pure functions of the records and the time.
 *
 * @param known whether the store has a record of the name
 * @param last the last token drawn for the name, or 0
 * @param leases its holders, present and recent
 */
public record StoredLeases(boolean known, long last, List<StoredLease> leases) {
    /** The answer to a claim whose holder id is over: it is not granted again, and no holder is in its way (L1). */
    public static final Refused NOT_AGAIN = new Refused(null, null, false, null);

    /** Copies the list. */
    public StoredLeases {
        leases = List.copyOf(leases);
    }

    /** The record of this holder, whether its lease is over or not. */
    public @Nullable StoredLease of(HolderId holder) {
        for (StoredLease lease : leases) {
            if (holder.equals(lease.holder())) {
                return lease;
            }
        }
        return null;
    }

    /**
     * What stands in the way of a claim whose holder is not among the records; null if nothing does. A lock-delay and a
     * revoked lease (U17) close the name to every claim. Otherwise shared goes with shared, and permits go with permits
     * while there are fewer than the claim counts.
     */
    public @Nullable Refused obstacle(Claim claim, long now) {
        StoredLease held = null;
        long latest = 0;
        long earliest = Long.MAX_VALUE;
        int permits = 0;
        boolean compatible = true;
        for (StoredLease lease : leases) {
            if (!lease.closes(now)) {
                continue;
            }
            boolean sameKind = lease.mode() == claim.mode() && lease.mode() != Mode.EXCLUSIVE;
            compatible &= sameKind && lease.runs(now) && lease.state() == StoredLease.HELD;
            permits += lease.mode() == Mode.PERMIT ? 1 : 0;
            latest = Math.max(latest, lease.closed());
            earliest = Math.min(earliest, lease.closed());
            held = lease.runs(now) ? lease : held;
        }
        boolean full = claim.mode() == Mode.PERMIT && permits >= claim.permits();
        if (latest == 0 || (compatible && !full)) {
            return null;
        }
        return new Refused(
                held == null ? null : held.shown(now),
                Duration.ofNanos((compatible ? earliest : latest) - now),
                held == null,
                null);
    }

    /** The first holder whose lease runs, or null. */
    public @Nullable Holder taker(long now) {
        for (StoredLease lease : leases) {
            if (lease.runs(now)) {
                return lease.shown(now);
            }
        }
        return null;
    }

    /**
     * The name as people see it.
     *
     * @param now on the clock of the leases
     * @param wallMicros the wall clock from which tokens are drawn
     */
    public LockStatus status(String plainName, long lastToken, long now, long wallMicros) {
        List<Holder> holders = new ArrayList<>();
        long delayed = 0;
        boolean revoked = false;
        for (StoredLease lease : leases) {
            if (lease.runs(now)) {
                holders.add(lease.shown(now));
                revoked |= lease.revoked();
            } else if (lease.closes(now)) {
                delayed = Math.max(delayed, lease.closed() - now);
            }
        }
        return new LockStatus(
                plainName,
                holders,
                0,
                Duration.ofNanos(delayed),
                revoked,
                lastToken,
                Duration.ofNanos(Math.max(0, lastToken - wallMicros) * 1000));
    }
}
