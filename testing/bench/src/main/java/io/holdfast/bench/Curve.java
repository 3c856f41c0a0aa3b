package io.holdfast.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a number grows with a size. A contestant that measures at several sizes names its metrics {@code µs/pair @ 100},
 * see {@link #metric}; the metrics that differ behind the sign only are one curve.
 *
 * @param metric what is measured, without the size
 * @param points by contestant: the number over the rounds at each size
 */
public record Curve(String metric, Map<String, SortedMap<Long, Spread>> points) {
    private static final String AT = " @ ";

    /** The name of a number at a size. */
    public static String metric(String what, long size) {
        return what + AT + size;
    }

    /** What is measured, if this is a number at a size. */
    static Optional<String> of(String metric) {
        int at = metric.lastIndexOf(AT);
        return at < 0 || !metric.substring(at + AT.length()).matches("[0-9]{1,15}")
                ? Optional.empty()
                : Optional.of(metric.substring(0, at));
    }

    /** The curves of a workload, without contestants that were broken. */
    static List<Curve> of(WorkloadResult result) {
        Map<String, Curve> curves = new LinkedHashMap<>();
        for (Contestant contestant : result.workload().contestants()) {
            String name = contestant.name();
            for (String metric : result.metrics(name)) {
                Optional<String> what = result.isBroken(name) ? Optional.empty() : of(metric);
                what.ifPresent(curve -> result.values(name, metric)
                        .ifPresent(spread -> curves.computeIfAbsent(
                                        curve, missing -> new Curve(curve, new LinkedHashMap<>()))
                                .points
                                .computeIfAbsent(name, missing -> new TreeMap<>())
                                .put(Long.parseLong(metric.substring(curve.length() + AT.length())), spread)));
            }
        }
        return new ArrayList<>(curves.values());
    }
}
