package io.holdfast.sql.session;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@link TokenRows} as it was read.
 *
 * @param name the full name
 * @param holder the holder that drew last
 * @param client its client id
 * @param label its label
 * @param last the last token drawn
 * @param span how many tokens the last grant has
 * @param ttl the TTL of its claim
 * @param revoked whether it was revoked
 * @param connectionId the database's id of its connection
 * @param key by which the database names the lock
 * @param nowMicros the database's time
 */
public record TokenRow(
        String name,
        @Nullable HolderId holder,
        String client,
        String label,
        long last,
        int span,
        Duration ttl,
        boolean revoked,
        long connectionId,
        long key,
        long nowMicros) {
    /**
     * Whether the holder in this row is the one that has the database's lock now.
     *
     * @param holding the connection that has the lock; 0 if none does
     */
    boolean isHeldBy(long holding) {
        return holding != 0 && holder != null && (connectionId == 0 || connectionId == holding);
    }

    /**
     * The name as people see it.
     *
     * @param holding the connection that has the lock; 0 if none does
     */
    LockStatus status(String plainName, long holding) {
        Holder shown = shown();
        boolean held = isHeldBy(holding);
        return new LockStatus(
                plainName,
                held && shown != null ? List.of(shown) : List.of(),
                0,
                Duration.ZERO,
                held && revoked,
                last,
                Duration.ofNanos(Math.max(0, (last - nowMicros) * 1000)));
    }

    /** The holder that drew last. */
    @Nullable
    Holder shown() {
        return holder == null ? null : new Holder(client, label, Mode.EXCLUSIVE, last - span + 1, span, ttl, ttl);
    }
}
