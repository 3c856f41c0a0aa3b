package io.holdfast.bench.workload;

import java.time.Duration;

/**
 * How a contestant is to be measured.
 *
 * @param warmUp for how long it works before anything counts
 * @param measure for how long it is measured
 * @param quick whether only the tool is tried; workloads with fixed sizes take small ones then
 */
public record Run(Duration warmUp, Duration measure, boolean quick) {
    private static final Duration ORDINARY = Duration.ofSeconds(5);

    /** With at most this many seconds of measuring and of warm-up, unless it takes a time of its own; 0 for no limit. */
    public Run atMost(int seconds) {
        if (seconds == 0 || measure.compareTo(ORDINARY) > 0) {
            return this;
        }
        Duration limit = Duration.ofSeconds(seconds);
        return new Run(shorter(warmUp, limit), shorter(measure, limit), quick);
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
