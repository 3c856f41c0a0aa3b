package io.holdfast.zookeeper.delay;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The content of a lock-delay's node.
 *
 * @param delay how long the lock stays closed once its holder has disappeared
 * @param seen whether a client has seen that the holder disappeared: the modification time of the node is then the start of
 *     the delay, by the leader's clock
 */
record DelayData(Duration delay, boolean seen) {
    private static final String FORMAT = "holdfast-delay-1";

    /** The delay of a holder that is present. */
    static DelayData notStarted(Duration delay) {
        return new DelayData(delay, false);
    }

    /** The same delay, marked as started. */
    DelayData started() {
        return new DelayData(delay, true);
    }

    byte[] bytes() {
        return (FORMAT + "\n" + delay.toNanos() + "\n" + seen).getBytes(StandardCharsets.UTF_8);
    }

    /** Reads what {@link #bytes} wrote; null if the content is anything else. */
    static @Nullable DelayData parse(byte @Nullable [] data) {
        if (data == null || data.length > 256) {
            return null;
        }
        String[] lines = new String(data, StandardCharsets.UTF_8).split("\n", -1);
        if (lines.length < 3 || !lines[0].equals(FORMAT)) {
            return null;
        }
        try {
            return new DelayData(Duration.ofNanos(Long.parseLong(lines[1])), Boolean.parseBoolean(lines[2]));
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
