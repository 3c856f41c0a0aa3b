package io.holdfast.bench.measure;

import io.holdfast.bench.workload.Measurement;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A cost at several sizes, and by how much it grows: the highest cost divided by that at the smallest size. */
public final class Growth {
    private final String metric;
    private final SortedMap<Integer, Double> costs = new TreeMap<>();

    public Growth(String metric) {
        this.metric = metric;
    }

    /** The cost at a size. */
    public void add(int size, double cost) {
        costs.put(size, cost);
    }

    /** The name of the highest cost divided by that at the smallest size. */
    public static String factor(String metric) {
        return "growth of " + metric;
    }

    /** The curve and its growth. */
    public Measurement measurement() {
        Measurement all = new Measurement(Map.of(), List.of());
        double most = 0;
        for (Map.Entry<Integer, Double> cost : costs.entrySet()) {
            all = all.with(metric + " @ " + cost.getKey(), cost.getValue());
            most = Math.max(most, cost.getValue());
        }
        double first = costs.values().iterator().next();
        return first > 0 ? all.with(factor(metric), most / first) : all;
    }
}
