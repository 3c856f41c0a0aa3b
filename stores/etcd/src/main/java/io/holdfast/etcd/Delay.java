package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The lock-delay that a holder announced (L10). While its claim is in the line it means nothing; when the claim is gone
 * and this is not, the name is closed.
 *
 * @param key its key
 * @param holder whose
 * @param mode how that one held
 * @param length how long
 * @param leaseId the etcd lease it lives on, which outlasts the claim's by the delay
 * @param createRevision tells it from a later one under the same key
 */
record Delay(ByteSequence key, HolderId holder, Mode mode, Duration length, long leaseId, long createRevision) {
    static @Nullable Delay of(KeyValue kv) {
        String[] fields = kv.getValue().toString(StandardCharsets.UTF_8).split("\n", 3);
        if (fields.length != 3) {
            return null;
        }
        try {
            return new Delay(
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

    static ByteSequence value(Claim claim) {
        return KeySpace.bytes(claim.mode().name() + "\n" + claim.lockDelay().toMillis() + "\n" + claim.holder());
    }
}
