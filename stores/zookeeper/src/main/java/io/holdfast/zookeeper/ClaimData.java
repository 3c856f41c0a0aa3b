package io.holdfast.zookeeper;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a claim's node says about it, in lines that a person can read with ZooKeeper's own shell.
 *
 * @param clientId the client
 * @param label the client for people
 * @param ttl the TTL
 * @param lockDelay the lock-delay
 * @param span the tokens
 * @param store the id of the store that made the node; empty if it does not say
 */
record ClaimData(String clientId, String label, Duration ttl, Duration lockDelay, int span, String store) {
    private static final String FORMAT = "holdfast-1";

    static byte[] of(Claim claim, String store) {
        String text = FORMAT
                + '\n'
                + claim.clientId()
                + '\n'
                + claim.label().replace('\n', ' ')
                + '\n'
                + claim.ttl().toNanos()
                + '\n'
                + claim.lockDelay().toNanos()
                + '\n'
                + claim.span()
                + '\n'
                + store;
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads what {@link #of} wrote; null if it is anything else. */
    static @Nullable ClaimData parse(byte @Nullable [] data) {
        if (data == null || data.length > 4096) {
            return null;
        }
        String[] lines = new String(data, StandardCharsets.UTF_8).split("\n", -1);
        if (lines.length < 6 || !lines[0].equals(FORMAT)) {
            return null;
        }
        try {
            return new ClaimData(
                    lines[1],
                    lines[2],
                    Duration.ofNanos(Long.parseLong(lines[3])),
                    Duration.ofNanos(Long.parseLong(lines[4])),
                    Integer.parseInt(lines[5]),
                    lines.length > 6 ? lines[6] : "");
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The holder of a grant; nobody but its own client knows when it was last renewed, so all of its TTL remains. */
    Holder holder(Mode mode, long token) {
        return new Holder(clientId, label, mode, token, span, ttl, ttl);
    }
}
