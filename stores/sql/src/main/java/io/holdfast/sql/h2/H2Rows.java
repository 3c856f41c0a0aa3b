package io.holdfast.sql.h2;

import io.holdfast.spi.Claim;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.sql.rows.WaitNotes;
import io.holdfast.sql.table.NameColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Lock rows in H2. */
final class H2Rows extends LeaseRows {
    private static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";

    H2Rows(String table) {
        super(table, NOW, NameColumn.BYTES);
    }

    /** The pause is read in the statement that answers the row which its UPDATE has written. */
    @Override
    protected @Nullable Duration releaseExclusive(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("SELECT (" + notes.longestText()
                + ") FROM FINAL TABLE (UPDATE " + table + " SET stamp = stamp + 1, state = 2, lease_end = " + now
                + ", closed_end = 0 WHERE name = ? AND holder = ? AND closed_end > " + now + ")")) {
            nameColumn.set(update, 1, name);
            update.setBytes(2, WaitNotes.client(claim));
            nameColumn.set(update, 3, name);
            update.setBytes(4, StoredLease.bytes(claim.holder()));
            try (ResultSet row = update.executeQuery()) {
                return row.next() ? WaitNotes.pause(row.getLong(1)) : null;
            }
        }
    }
}
