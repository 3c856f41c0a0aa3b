package io.holdfast.bench.measure;

import io.holdfast.bench.workload.Measurement;
import java.util.Arrays;
import java.util.List;

/** Times of single operations, in nanoseconds, and what to say of them. */
public final class Latencies {
    private long[] nanos = new long[1024];
    private int count;

    public void add(long value) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, count * 2);
        }
        nanos[count++] = value;
    }

    public int count() {
        return count;
    }

    /** Of several threads. */
    public static Latencies of(List<Latencies> parts) {
        Latencies all = new Latencies();
        parts.forEach(part -> Arrays.stream(part.nanos, 0, part.count).forEach(all::add));
        return all;
    }

    /** With median and 99th percentile in microseconds, named after what it is if there are several. */
    public Measurement describe(String what, Measurement with) {
        if (count == 0) {
            throw new IllegalStateException("no " + what + " within the time");
        }
        String prefix = what.isEmpty() ? "" : what + " ";
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return with.with(prefix + "p50 µs", sorted[count / 2] / 1e3)
                .with(prefix + "p99 µs", sorted[(int) (count * 99L / 100)] / 1e3);
    }
}
