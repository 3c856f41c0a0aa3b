package io.holdfast.cli.output;

import java.time.Duration;

/** Writes durations as they can be typed: one or two units, at most one digit after the point. */
public final class DurationText {
    private DurationText() {}

    /** As in {@code 250ms}, {@code 9.5s}, {@code 4m 10s}, {@code 3h 5m}, {@code 2d 4h}. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1000) {
            return millis == 0 ? "0s" : millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds < 60) {
            long tenth = millis % 1000 / 100;
            return tenth == 0 ? seconds + "s" : seconds + "." + tenth + "s";
        }
        if (seconds < 3600) {
            return pair(seconds / 60, "m", seconds % 60, "s");
        }
        if (seconds < 86_400) {
            return pair(seconds / 3600, "h", seconds % 3600 / 60, "m");
        }
        return pair(seconds / 86_400, "d", seconds % 86_400 / 3600, "h");
    }

    private static String pair(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + " " + small + smallUnit;
    }
}
