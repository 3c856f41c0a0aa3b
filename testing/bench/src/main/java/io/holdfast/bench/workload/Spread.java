package io.holdfast.bench.workload;

import java.util.Collection;

/**
 * The middle of some numbers and their range.
 *
 * @param median the middle one, or the mean of the two middle ones
 * @param min the smallest
 * @param max the largest
 */
public record Spread(double median, double min, double max) {
    /** Of at least one number. */
    public static Spread of(Collection<Double> numbers) {
        if (numbers.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
        double[] sorted =
                numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
