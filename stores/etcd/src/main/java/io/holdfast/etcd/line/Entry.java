package io.holdfast.etcd.line;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A claim as it is stored in the queue of its lock.
 *
 * @param key its key
 * @param claim the claim, as the client that made it has put it
 * @param createRevision the revision that created the key; decides the order in line, and the token
 * @param modRevision the revision that changed the key last
 * @param leaseId the etcd lease that the key is on
 * @param revoked whether an operator revoked it, to take effect when its lease ends
 */
public record Entry(
        ByteSequence key, Claim claim, long createRevision, long modRevision, long leaseId, boolean revoked) {
    private static final String FORMAT = "1";
    private static final String REVOKED = "revoked";
    private static final int FIELDS = 10;

    /** Reads a key of the queue of a lock; null if its value is not a claim. */
    public static @Nullable Entry of(String lockName, KeyValue kv) {
        String[] fields = kv.getValue().toString(StandardCharsets.UTF_8).split("\n", FIELDS);
        if (fields.length != FIELDS || !fields[0].equals(FORMAT)) {
            return null;
        }
        try {
            Claim claim = new Claim(
                    lockName,
                    HolderId.parse(fields[8]),
                    fields[7],
                    fields[9],
                    Mode.valueOf(fields[2]),
                    Integer.parseInt(fields[3]),
                    Duration.ofMillis(Long.parseLong(fields[4])),
                    Duration.ofMillis(Long.parseLong(fields[5])),
                    Integer.parseInt(fields[6]));
            return new Entry(
                    kv.getKey(),
                    claim,
                    kv.getCreateRevision(),
                    kv.getModRevision(),
                    kv.getLease(),
                    fields[1].equals(REVOKED));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The value that is put for a claim. */
    public static ByteSequence value(Claim claim) {
        return value(claim, "");
    }

    /** The value that is put in its place to revoke it. */
    public ByteSequence revokedValue() {
        return value(claim, REVOKED);
    }

    /** The claim's holder id. */
    public HolderId holder() {
        return claim.holder();
    }

    /** In a transaction: this claim is still there, and its key is not used by a later one. */
    public Cmp isStillThere() {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(createRevision));
    }

    /** This claim as the holder of the lock. */
    public Holder asHolder(Tokens tokens, Duration remaining) {
        return new Holder(
                claim.clientId(),
                claim.label(),
                claim.mode(),
                tokens.first(createRevision),
                claim.span(),
                claim.ttl(),
                remaining);
    }

    private static ByteSequence value(Claim claim, String mark) {
        return KeySpace.bytes(String.join(
                "\n",
                FORMAT,
                mark,
                claim.mode().name(),
                Integer.toString(claim.permits()),
                Long.toString(claim.ttl().toMillis()),
                Long.toString(claim.lockDelay().toMillis()),
                Integer.toString(claim.span()),
                claim.clientId().replace('\n', ' '),
                claim.holder().toString(),
                claim.label()));
    }
}
