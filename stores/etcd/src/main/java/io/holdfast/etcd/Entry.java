package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claim as it stands in the queue of its name.
 *
 * @param key its key
 * @param holder its holder id
 * @param createRevision when it came; decides the order, and the token
 * @param modRevision when it last changed
 * @param leaseId the etcd lease it lives on
 * @param revoked whether an operator revoked it, to take effect when its lease ends
 * @param mode how it wants or has the lock
 * @param permits how many permits it thinks the name has
 * @param ttl its TTL
 * @param lockDelay its lock-delay
 * @param span how many tokens it reserves
 * @param clientId whose it is
 * @param label the same for people
 */
record Entry(
        ByteSequence key,
        HolderId holder,
        long createRevision,
        long modRevision,
        long leaseId,
        boolean revoked,
        Mode mode,
        int permits,
        Duration ttl,
        Duration lockDelay,
        int span,
        String clientId,
        String label) {
    private static final String FORMAT = "1";
    private static final int FIELDS = 10;

    /** Reads a key of a queue; null if something else was put there. */
    static @Nullable Entry of(KeyValue kv) {
        String[] fields = kv.getValue().toString(StandardCharsets.UTF_8).split("\n", FIELDS);
        if (fields.length != FIELDS || !fields[0].equals(FORMAT)) {
            return null;
        }
        try {
            return new Entry(
                    kv.getKey(),
                    HolderId.parse(fields[8]),
                    kv.getCreateRevision(),
                    kv.getModRevision(),
                    kv.getLease(),
                    fields[1].equals("revoked"),
                    Mode.valueOf(fields[2]),
                    Integer.parseInt(fields[3]),
                    Duration.ofMillis(Long.parseLong(fields[4])),
                    Duration.ofMillis(Long.parseLong(fields[5])),
                    Integer.parseInt(fields[6]),
                    fields[7],
                    fields[9]);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** What is put for a claim. */
    static ByteSequence value(Claim claim) {
        return value(
                false,
                claim.holder(),
                claim.mode(),
                claim.permits(),
                claim.ttl(),
                claim.lockDelay(),
                claim.span(),
                claim.clientId(),
                claim.label());
    }

    /** What is put in its place to revoke it. */
    ByteSequence revokedValue() {
        return value(true, holder, mode, permits, ttl, lockDelay, span, clientId, label);
    }

    /** This claim as the holder of the lock. */
    Holder asHolder(Tokens tokens, Duration remaining) {
        return new Holder(clientId, label, mode, tokens.first(createRevision), span, ttl, remaining);
    }

    private static ByteSequence value(
            boolean revoked,
            HolderId holder,
            Mode mode,
            int permits,
            Duration ttl,
            Duration lockDelay,
            int span,
            String clientId,
            String label) {
        String text = String.join(
                "\n",
                FORMAT,
                revoked ? "revoked" : "",
                mode.name(),
                Integer.toString(permits),
                Long.toString(ttl.toMillis()),
                Long.toString(lockDelay.toMillis()),
                Integer.toString(span),
                clientId.replace('\n', ' '),
                holder.toString(),
                label);
        return KeySpace.bytes(text);
    }
}
