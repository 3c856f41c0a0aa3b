package io.holdfast.sql.mariadb;

import io.holdfast.spi.Claim;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.sql.rows.WaitNotes;
import io.holdfast.sql.table.NameColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Lock rows in MariaDB and MySQL. */
final class MariaDbRows extends LeaseRows {
    MariaDbRows(String table) {
        super(table, MariaDb.NOW, NameColumn.BYTES);
    }

    /**
     * A row that another connection has locked is about to be changed, or is locked for long. In neither case is it
     * waited for, so that one such row does not end the other leases of a renewal (L7).
     */
    @Override
    protected String sameText() {
        return " WHERE name = (SELECT name FROM (SELECT name FROM " + table
                + " WHERE name = ? AND stamp = ? FOR UPDATE SKIP LOCKED) same)";
    }

    /** The pause is returned as the id that the UPDATE "generated": a query for it would be another round trip. */
    @Override
    protected @Nullable Duration releaseExclusive(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE " + table + " SET stamp = stamp + 1, state = 2, lease_end = " + now
                        + ", closed_end = 0 * LAST_INSERT_ID((" + notes.longestText()
                        + ")) WHERE name = ? AND holder = ? AND closed_end > " + now,
                Statement.RETURN_GENERATED_KEYS)) {
            nameColumn.set(update, 1, name);
            update.setBytes(2, WaitNotes.client(claim));
            nameColumn.set(update, 3, name);
            update.setBytes(4, StoredLease.bytes(claim.holder()));
            if (update.executeUpdate() != 1) {
                return null;
            }
            try (ResultSet generated = update.getGeneratedKeys()) {
                return generated.next() ? WaitNotes.pause(generated.getLong(1)) : Duration.ZERO;
            }
        }
    }
}
