package io.holdfast.sql.rows;

import io.holdfast.spi.HolderId;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.StoredLeases;
import io.holdfast.spi.support.Tombstones;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one row that a database server keeps of a name, with all its holders (U12): the connection that compares and writes
 * this row decides about the name. All times are nanoseconds since 1970 on the database's clock.
 *
 * @param name the full name
 * @param stamp changes with every write; 0 if there is no row yet
 * @param last the last token drawn; 0 if none was
 * @param exclusive the exclusive holder, present or last
 * @param shares holders of a share or permit, present or recent
 * @param tombstones holder ids that must not be granted (again)
 */
public record LockRow(
        String name,
        long stamp,
        long last,
        @Nullable StoredLease exclusive,
        List<StoredLease> shares,
        List<Tombstone> tombstones) {
    /** Copies the lists. */
    public LockRow {
        shares = List.copyOf(shares);
        tombstones = List.copyOf(tombstones);
    }

    /** A name without a row. */
    public static LockRow absent(String name) {
        return new LockRow(name, 0, 0, null, List.of(), List.of());
    }

    /** All holders, for the decisions that do not depend on the column in which a holder stands. */
    StoredLeases leases() {
        List<StoredLease> rows = new ArrayList<>(shares.size() + 1);
        if (exclusive != null) {
            rows.add(exclusive);
        }
        rows.addAll(shares);
        return new StoredLeases(stamp != 0, last, rows);
    }

    /** The tombstone of this holder, if it has one. */
    @Nullable
    Tombstone tombstone(HolderId holder, long now) {
        for (Tombstone tombstone : tombstones) {
            if (tombstone.holder().equals(holder) && tombstone.until() > now) {
                return tombstone;
            }
        }
        return null;
    }

    /** From when on shares and tombstones mean nothing any more; 0 without any. */
    long extraUntil() {
        long until = 0;
        for (StoredLease share : shares) {
            until = Math.max(until, remembered(share));
        }
        for (Tombstone tombstone : tombstones) {
            until = Math.max(until, tombstone.until());
        }
        return until;
    }

    /** Until when an ended share is remembered. */
    static long remembered(StoredLease share) {
        return Math.max(share.until(), share.closed()) + Tombstones.LIFE.toNanos();
    }
}
