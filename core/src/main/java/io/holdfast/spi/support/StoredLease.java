package io.holdfast.spi.support;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a store of lease records keeps of one holder, also for a while after it held. All times are nanoseconds on the
 * store's clock.
 *
 * @param holder its id; null in the record of a name that has no exclusive holder
 * @param mode how it holds
 * @param state one of {@link #HELD}, {@link #REVOKED}, {@link #RELEASED}, {@link #OPENED}
 * @param until when the lease ends, or when it was released or opened
 * @param closed until when the name is closed to others: the end plus lock-delay, or 0
 * @param token the first token
 * @param span how many tokens
 * @param ttlNanos the TTL of the claim
 * @param clientId the client
 * @param label for people
 */
public record StoredLease(
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
    /** Held, or run out: the times tell which. */
    public static final int HELD = 0;

    /** Revoked: it is not renewed any more and opens when it runs out. */
    public static final int REVOKED = 1;

    /** Released by its holder. */
    public static final int RELEASED = 2;

    /** Revoked and opened at once. */
    public static final int OPENED = 3;

    /** How many bytes a stored holder id has. */
    public static final int HOLDER_BYTES = 20;

    /** Whether it stands in the way of others, as a lease or by its lock-delay. */
    public boolean closes(long now) {
        return closed > now;
    }

    /** Whether the lease itself still runs. */
    public boolean runs(long now) {
        return until > now && closes(now);
    }

    /** Whether it was revoked in either way. */
    public boolean revoked() {
        return state == REVOKED || state == OPENED;
    }

    /** The same lease in another state, with another end. */
    public StoredLease with(int newState, long newUntil, long newClosed) {
        return new StoredLease(holder, mode, newState, newUntil, newClosed, token, span, ttlNanos, clientId, label);
    }

    /** As people see it. */
    public Holder shown(long now) {
        return new Holder(
                clientId,
                label,
                mode,
                token,
                span,
                Duration.ofNanos(ttlNanos),
                Duration.ofNanos(Math.max(0, until - now)));
    }

    /** A holder id as it is stored. */
    public static byte[] bytes(HolderId holder) {
        byte[] bytes = new byte[HOLDER_BYTES];
        ByteBuffer.wrap(bytes).putLong(holder.high()).putLong(holder.middle()).putInt(holder.low());
        return bytes;
    }

    /** Reads what {@link #bytes} wrote. */
    public static HolderId holder(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new HolderId(buffer.getLong(), buffer.getLong(), buffer.getInt());
    }
}
