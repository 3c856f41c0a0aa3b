package io.holdfast.bench.workload;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one contestant showed in one round.
 *
 * @param values numbers by metric, as in {@code acquisitions/s}; in the order in which they are to be shown
 * @param violations what it did wrong meanwhile: two holders at a time, a token that went back. A contestant with a
 *     violation is broken, however fast
 */
public record Measurement(Map<String, Double> values, List<String> violations) {
    /** Copies both; numbers are finite. */
    public Measurement {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        violations = List.copyOf(violations);
        values.forEach((metric, value) -> {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException(metric + " is " + value + ", which no comparison can use");
            }
        });
    }

    /** A measurement with one number and nothing wrong. */
    public static Measurement of(String metric, double value) {
        return new Measurement(Map.of(metric, value), List.of());
    }

    /** With one more number. */
    public Measurement with(String metric, double value) {
        Map<String, Double> more = new LinkedHashMap<>(values);
        more.put(metric, value);
        return new Measurement(more, violations);
    }

    /** With these violations. */
    public Measurement with(List<String> found) {
        return new Measurement(values, found);
    }
}
