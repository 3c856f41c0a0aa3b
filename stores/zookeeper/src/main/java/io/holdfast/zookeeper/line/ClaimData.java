package io.holdfast.zookeeper.line;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The content of a claim's node, as lines of text that ZooKeeper's own shell can show.
 *
 * @param clientId the id of the client
 * @param label the name of the client in listings and messages
 * @param ttl the TTL of the lease
 * @param lockDelay the lock-delay
 * @param span how many tokens a grant has
 * @param store the id of the store that created the node; empty if the node has none
 */
public record ClaimData(String clientId, String label, Duration ttl, Duration lockDelay, int span, String store) {
    private static final String FORMAT = "holdfast-1";

    /** The content for a claim of the store with this id. */
    public static byte[] of(Claim claim, String store) {
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

    /** Reads what {@link #of} wrote; null if the content is anything else. */
    public static @Nullable ClaimData parse(byte @Nullable [] data) {
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

    /** The holder that this node describes. Only its client knows the last renewal, so the whole TTL is shown as remaining. */
    public Holder holder(Mode mode, long token) {
        return new Holder(clientId, label, mode, token, span, ttl, ttl);
    }
}
