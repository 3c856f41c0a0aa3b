package io.holdfast.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a lock-delay's node says.
 *
 * @param delay how long the name stays closed once its holder has disappeared
 * @param seen whether somebody has seen that the holder disappeared: the node's time of change is then that moment, by
 *     the leader's clock
 */
record DelayData(Duration delay, boolean seen) {
    private static final String FORMAT = "holdfast-delay-1";

    byte[] bytes() {
        return (FORMAT + "\n" + delay.toNanos() + "\n" + seen).getBytes(StandardCharsets.UTF_8);
    }

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
