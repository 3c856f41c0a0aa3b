package io.holdfast.memory;

import java.time.Duration;

/** Durations as nanoseconds that can be added to a clock reading without overflow: at most 70 years. */
final class Nanos {
    private static final Duration LONGEST = Duration.ofDays(365 * 70);

    private Nanos() {}

    static long of(Duration duration) {
        return duration.compareTo(LONGEST) < 0 ? duration.toNanos() : LONGEST.toNanos();
    }
}
