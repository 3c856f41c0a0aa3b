package io.holdfast.servers;

import java.time.Duration;

/** Stretches every timeout by the system property {@code holdfast.timeScale}, for slow machines. */
final class TimeScale {
    private static final double SCALE = Double.parseDouble(System.getProperty("holdfast.timeScale", "1"));

    private TimeScale() {}

    static Duration of(Duration timeout) {
        return Duration.ofNanos((long) (timeout.toNanos() * SCALE));
    }
}
