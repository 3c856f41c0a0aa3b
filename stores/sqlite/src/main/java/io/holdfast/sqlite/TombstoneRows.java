package io.holdfast.sqlite;

import io.holdfast.spi.support.Tombstones;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Tombstones in the lock file: holder ids whose claim is over and which are not granted again (L1). */
final class TombstoneRows {
    /** How the end of a claim is stored: it was released, or its lease ran out. */
    private static final int ENDED = 0;

    /** How the end of a claim is stored: it was revoked. */
    private static final int REVOKED = 1;

    /** What the file knows of a holder. */
    enum Found {
        /** No tombstone. */
        NONE,
        /** It was released, or its lease ran out. */
        ENDED,
        /** It was revoked. */
        REVOKED
    }

    private TombstoneRows() {}

    /** Looks for the tombstone of a holder. */
    static Found of(SqliteConnection connection, byte[] holder) throws SQLException {
        PreparedStatement statement = connection.statement(SqliteStatement.READ_TOMBSTONE);
        statement.setBytes(1, holder);
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return Found.NONE;
            }
            return switch (row.getInt(1)) {
                case ENDED -> Found.ENDED;
                case REVOKED -> Found.REVOKED;
                default -> throw new SQLException("a tombstone has the unknown kind " + row.getInt(1));
            };
        }
    }

    /** Writes one for a claim that ended, unless the holder has one. */
    static void ended(SqliteConnection connection, byte[] holder) throws SQLException {
        write(connection, holder, ENDED);
    }

    /** Writes one for a claim that was revoked, unless the holder has one. */
    static void revoked(SqliteConnection connection, byte[] holder) throws SQLException {
        write(connection, holder, REVOKED);
    }

    private static void write(SqliteConnection connection, byte[] holder, int kind) throws SQLException {
        PreparedStatement statement = connection.statement(SqliteStatement.WRITE_TOMBSTONE);
        statement.setBytes(1, holder);
        statement.setLong(2, connection.leaseNanos() + Tombstones.LIFE.toNanos());
        statement.setInt(3, kind);
        statement.executeUpdate();
    }
}
