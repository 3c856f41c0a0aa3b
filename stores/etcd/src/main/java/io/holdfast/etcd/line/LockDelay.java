package io.holdfast.etcd.line;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The lock-delay that a holder announced (L10). It has no effect while the holder's claim is in the line. When the
 * claim is gone and the lock-delay is not, the lock is closed.
 *
 * @param key its key
 * @param holder the holder that announced it
 * @param mode the mode of that holder
 * @param length how long it lasts
 * @param leaseId the etcd lease that it is on, which outlasts the claim's by the lock-delay
 * @param createRevision tells it from a later lock-delay under the same key
 */
public record LockDelay(
        ByteSequence key, HolderId holder, Mode mode, Duration length, long leaseId, long createRevision) {
    /** Reads a key of a lock's delays; null if its value is not a lock-delay. */
    public static @Nullable LockDelay of(KeyValue kv) {
        String[] fields = kv.getValue().toString(StandardCharsets.UTF_8).split("\n", 3);
        if (fields.length != 3) {
            return null;
        }
        try {
            return new LockDelay(
                    kv.getKey(),
                    HolderId.parse(fields[2]),
                    Mode.valueOf(fields[0]),
                    Duration.ofMillis(Long.parseLong(fields[1])),
                    kv.getLease(),
                    kv.getCreateRevision());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The value that is put for the lock-delay of a claim. */
    public static ByteSequence value(Claim claim) {
        return KeySpace.bytes(claim.mode().name() + "\n" + claim.lockDelay().toMillis() + "\n" + claim.holder());
    }
}
