package io.holdfast.sql;

import io.holdfast.spi.HolderId;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.StoredLeases;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one row that a database server keeps of a name, with everybody who holds it (U12): whoever compares and writes
 * this row decides about the name. All times are nanoseconds since 1970 on the database's clock.
 *
 * @param name the full name
 * @param stamp changes with every write; 0 if there is no row yet
 * @param last the last token drawn; 0 if none was
 * @param exclusive who holds or held it exclusively
 * @param shares who holds or lately held a share or permit
 * @param graves holders that must not be granted (again)
 */
record LockRow(
        String name,
        long stamp,
        long last,
        @Nullable StoredLease exclusive,
        List<StoredLease> shares,
        List<Grave> graves) {
    /** Copies the lists. */
    LockRow {
        shares = List.copyOf(shares);
        graves = List.copyOf(graves);
    }

    /** A name without a row. */
    static LockRow absent(String name) {
        return new LockRow(name, 0, 0, null, List.of(), List.of());
    }

    /** For the decisions that do not care where a holder stands. */
    StoredLeases state() {
        List<StoredLease> rows = new ArrayList<>(shares.size() + 1);
        if (exclusive != null) {
            rows.add(exclusive);
        }
        rows.addAll(shares);
        return new StoredLeases(stamp != 0, last, rows);
    }

    /** What became of this holder, if it is remembered. */
    @Nullable
    Tombstone tombstone(HolderId holder, long now) {
        for (Grave grave : graves) {
            if (grave.holder().equals(holder) && grave.until() > now) {
                return grave.kind();
            }
        }
        return null;
    }

    /** From when on shares and graves mean nothing any more; 0 without any. */
    long extraUntil() {
        long until = 0;
        for (StoredLease share : shares) {
            until = Math.max(until, remembered(share));
        }
        for (Grave grave : graves) {
            until = Math.max(until, grave.until());
        }
        return until;
    }

    /** Until when an ended share is remembered. */
    static long remembered(StoredLease share) {
        return Math.max(share.until(), share.closed()) + Tombstone.LIFE.toNanos();
    }
}
