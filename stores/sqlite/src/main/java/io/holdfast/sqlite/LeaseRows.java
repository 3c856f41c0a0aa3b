package io.holdfast.sqlite;

import io.holdfast.Mode;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.StoredLeases;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of a name as they stand in the file, and how a mode and a bucket are stored. */
final class LeaseRows {
    /** How many buckets of last tokens there are. */
    static final int BUCKETS = 4096;

    private LeaseRows() {}

    /** Reads a name. Inside a transaction the two reads see one state. */
    static StoredLeases read(SqliteConnection connection, String name) throws SQLException {
        List<StoredLease> leases = new ArrayList<>(2);
        boolean known = false;
        long last = 0;
        PreparedStatement lock = connection.statement(SqliteStatement.READ_LOCK);
        lock.setString(1, name);
        try (ResultSet row = lock.executeQuery()) {
            if (row.next()) {
                known = true;
                last = row.getLong(11);
                StoredLease exclusive = lease(row);
                if (exclusive.holder() != null) {
                    leases.add(exclusive);
                }
            }
        }
        PreparedStatement shares = connection.statement(SqliteStatement.READ_SHARES);
        shares.setString(1, name);
        try (ResultSet row = shares.executeQuery()) {
            while (row.next()) {
                leases.add(lease(row));
            }
        }
        return new StoredLeases(known, last, leases);
    }

    /** Reads the first ten columns: holder, mode, state, until, closed, token, span, TTL, client id, label. */
    private static StoredLease lease(ResultSet row) throws SQLException {
        byte[] holder = row.getBytes(1);
        return new StoredLease(
                holder == null || holder.length != StoredLease.HOLDER_BYTES ? null : StoredLease.holder(holder),
                mode(row.getString(2)),
                row.getInt(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getInt(7),
                row.getLong(8),
                row.getString(9),
                row.getString(10));
    }

    /** A mode as it is stored. */
    static String letter(Mode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "x";
            case SHARED -> "s";
            case PERMIT -> "p";
        };
    }

    private static Mode mode(String letter) throws SQLException {
        return switch (letter) {
            case "x" -> Mode.EXCLUSIVE;
            case "s" -> Mode.SHARED;
            case "p" -> Mode.PERMIT;
            default -> throw new SQLException("a lease row has the unknown mode '" + letter + "'");
        };
    }

    /** The last token that was drawn from the bucket of a name, or 0. */
    static long bucketLast(SqliteConnection connection, String name) throws SQLException {
        PreparedStatement statement = connection.statement(SqliteStatement.READ_BUCKET);
        statement.setInt(1, bucket(name));
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** The bucket of a full name. Part of the stored format: the same in every process, and it never changes. */
    static int bucket(String full) {
        int hash = full.hashCode();
        return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
    }
}
