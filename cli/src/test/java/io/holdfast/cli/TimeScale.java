package io.holdfast.cli;

import java.time.Duration;

/** Stretches times on slow machines: system property {@code holdfast.timeScale}. */
final class TimeScale {
    private static final double SCALE = Double.parseDouble(System.getProperty("holdfast.timeScale", "1"));

    private TimeScale() {}

    /** The longest that a test waits for something that should happen soon. */
    static Duration patience() {
        return seconds(30);
    }

    static Duration seconds(double value) {
        return Duration.ofMillis((long) (value * 1000 * SCALE));
    }

    /** As an option of the command takes it. */
    static String option(Duration duration) {
        return duration.toMillis() + "ms";
    }
}
