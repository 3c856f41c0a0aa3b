package io.holdfast.jdbc;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that the database knows of one name, and what follows from it for a claim. The decisions are pure functions of
 * the rows and the time; {@link LeaseStatement#ACQUIRE_EXCLUSIVE} is the same decision for exclusive claims as one
 * statement.
 *
 * @param known whether the name has a row
 * @param last the last token drawn for the name, or 0
 * @param rows its holders, present and recent
 */
record NameState(boolean known, long last, List<LeaseRow> rows) {
    /** Copies the list. */
    NameState {
        rows = List.copyOf(rows);
    }

    /** Reads a name. Inside a transaction the two reads see one state. */
    static NameState read(SqlSession session, String name) throws SQLException {
        List<LeaseRow> rows = new ArrayList<>(2);
        boolean known = false;
        long last = 0;
        PreparedStatement lock = session.statement(LeaseStatement.READ_LOCK);
        lock.setString(1, name);
        try (ResultSet row = lock.executeQuery()) {
            if (row.next()) {
                known = true;
                last = row.getLong(11);
                LeaseRow exclusive = LeaseRow.read(row);
                if (exclusive.holder() != null) {
                    rows.add(exclusive);
                }
            }
        }
        PreparedStatement shares = session.statement(LeaseStatement.READ_SHARES);
        shares.setString(1, name);
        try (ResultSet row = shares.executeQuery()) {
            while (row.next()) {
                rows.add(LeaseRow.read(row));
            }
        }
        return new NameState(known, last, rows);
    }

    /** The row of this holder, be it over or not. */
    @Nullable
    LeaseRow of(HolderId holder) {
        for (LeaseRow row : rows) {
            HolderId of = row.holder();
            if (of != null && LeaseRow.same(of, holder)) {
                return row;
            }
        }
        return null;
    }

    /**
     * What stands in the way of a claim of somebody who is not among the rows; null if nothing does. A name is closed
     * to everyone by a lock-delay and by a revoked lease (U17); otherwise shared go with shared, and permits with
     * permits while there are fewer than the claim counts.
     */
    @Nullable
    Refused obstacle(Claim claim, long now) {
        LeaseRow held = null;
        long latest = 0;
        long earliest = Long.MAX_VALUE;
        int permits = 0;
        boolean compatible = true;
        for (LeaseRow row : rows) {
            if (!row.closes(now)) {
                continue;
            }
            boolean sameKind = row.mode() == claim.mode() && row.mode() != Mode.EXCLUSIVE;
            compatible &= sameKind && row.runs(now) && row.state() == LeaseRow.HELD;
            permits += row.mode() == Mode.PERMIT ? 1 : 0;
            latest = Math.max(latest, row.closed());
            earliest = Math.min(earliest, row.closed());
            held = row.runs(now) ? row : held;
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

    /** Who holds the name, if anybody. */
    @Nullable
    Holder taker(long now) {
        for (LeaseRow row : rows) {
            if (row.runs(now)) {
                return row.shown(now);
            }
        }
        return null;
    }
}
