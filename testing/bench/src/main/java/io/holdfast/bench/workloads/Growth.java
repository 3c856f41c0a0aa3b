package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Curve;
import io.holdfast.bench.Measurement;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cost at several sizes, and whether it stays the same. It is flat if it is at no size more than twice what it is at the
 * smallest; becoming cheaper is no fault.
 */
final class Growth {
    static final double FLAT = 2;

    private final String metric;
    private final SortedMap<Integer, Double> costs = new TreeMap<>();

    Growth(String metric) {
        this.metric = metric;
    }

    /** The cost at a size. */
    void add(int size, double cost) {
        costs.put(size, cost);
    }

    /** The name of the highest cost divided by that at the smallest size. */
    static String factor(String metric) {
        return "growth of " + metric;
    }

    /** The bar of a flat curve. */
    static Bar flat(String contestant, String metric) {
        return Bar.value(contestant, factor(metric), Bar.Relation.AT_MOST, FLAT);
    }

    /** The curve and its growth. */
    Measurement measurement() {
        Measurement all = new Measurement(Map.of(), List.of());
        double most = 0;
        for (Map.Entry<Integer, Double> cost : costs.entrySet()) {
            all = all.with(Curve.metric(metric, cost.getKey()), cost.getValue());
            most = Math.max(most, cost.getValue());
        }
        double first = costs.values().iterator().next();
        return first > 0 ? all.with(factor(metric), most / first) : all;
    }
}
