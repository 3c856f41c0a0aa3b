package io.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a holder that is not granted again (L1). */
enum Tombstone {
    /** It was released, or its lease ran out. */
    ENDED(0),
    /** It was revoked. */
    REVOKED(1);

    /** How long it is kept at least. */
    static final Duration LIFE = Duration.ofSeconds(10);

    private final int code;

    Tombstone(int code) {
        this.code = code;
    }

    /** Of this holder, if it has one. */
    static @Nullable Tombstone of(SqlSession session, byte[] holder) throws SQLException {
        PreparedStatement statement = session.statement(LeaseStatement.READ_TOMBSTONE);
        statement.setBytes(1, holder);
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? coded(row.getInt(1)) : null;
        }
    }

    /** Sets it, unless there is one. */
    void bury(SqlSession session, byte[] holder) throws SQLException {
        PreparedStatement statement = session.statement(LeaseStatement.BURY);
        statement.setBytes(1, holder);
        statement.setLong(2, session.dialect().leaseNanos(session) + LIFE.toNanos());
        statement.setInt(3, code);
        statement.executeUpdate();
    }

    private static Tombstone coded(int code) throws SQLException {
        for (Tombstone tombstone : values()) {
            if (tombstone.code == code) {
                return tombstone;
            }
        }
        throw new SQLException("a tombstone has the unknown kind " + code);
    }
}
