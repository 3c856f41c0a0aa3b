package io.holdfast.jdbc;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the database keeps of one holder, also for a while after it held. All times are {@link SqlDialect#leaseNanos}.
 *
 * @param holder who; null in the row of a name that nobody holds exclusively
 * @param mode how
 * @param state one of {@link #HELD}, {@link #REVOKED}, {@link #RELEASED}, {@link #OPENED}
 * @param until when the lease ends, or when it was released or opened
 * @param closed until when the name is closed to others: the end plus lock-delay, or 0
 * @param token the first token
 * @param span how many
 * @param ttlNanos what was asked for
 * @param clientId the client
 * @param label for people
 */
record LeaseRow(
        @Nullable HolderId holder,
        Mode mode,
        int state,
        long until,
        long closed,
        long token,
        int span,
        long ttlNanos,
        String clientId,
        String label) {
    /** Held, or run out: the times tell. */
    static final int HELD = 0;

    /** Revoked: not renewed any more, it opens when it runs out. */
    static final int REVOKED = 1;

    /** Given back by its holder. */
    static final int RELEASED = 2;

    /** Revoked and opened at once. */
    static final int OPENED = 3;

    private static final int BYTES = 20;

    /** Reads the first ten columns: holder, mode, state, until, closed, token, span, TTL, client id, label. */
    static LeaseRow read(ResultSet row) throws SQLException {
        byte[] holder = row.getBytes(1);
        return new LeaseRow(
                holder == null || holder.length != BYTES ? null : holder(holder),
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

    /** Whether it stands in the way of others, as a lease or by its lock-delay. */
    boolean closes(long now) {
        return closed > now;
    }

    /** Whether the lease itself still runs. */
    boolean runs(long now) {
        return until > now && closes(now);
    }

    /** Whether it was revoked in either way. */
    boolean revoked() {
        return state == REVOKED || state == OPENED;
    }

    /** As people see it. */
    Holder shown(long now) {
        return new Holder(
                clientId,
                label,
                mode,
                token,
                span,
                Duration.ofNanos(ttlNanos),
                Duration.ofNanos(Math.max(0, until - now)));
    }

    /** As {@code equals}, without the start-up cost of a record's. */
    static boolean same(HolderId one, HolderId other) {
        return one.high() == other.high() && one.middle() == other.middle() && one.low() == other.low();
    }

    /** A holder id as it is stored. */
    static byte[] bytes(HolderId holder) {
        byte[] bytes = new byte[BYTES];
        ByteBuffer.wrap(bytes).putLong(holder.high()).putLong(holder.middle()).putInt(holder.low());
        return bytes;
    }

    private static HolderId holder(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new HolderId(buffer.getLong(), buffer.getLong(), buffer.getInt());
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
}
