package io.holdfast.bench.store;

import io.holdfast.bench.measure.JvmMeter;
import io.holdfast.bench.workload.Measurement;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What a stretch of time cost: the store by its own count and by the kernel's, this JVM by the kernel's.
 *
 * @param counters what the store counts, so far
 * @param storeNanos processor time of its servers, so far
 * @param jvmNanos processor time of this JVM, so far
 * @param at when
 */
public record StoreLoad(Map<String, Double> counters, double storeNanos, double jvmNanos, long at) {
    public static final String JVM = "client % of one core";
    public static final String STORE = "store % of one core";

    public static StoreLoad now(RunningStore store) {
        return new StoreLoad(store.counters(), store.cpuNanos(), JvmMeter.cpuNanos(), System.nanoTime());
    }

    /** What was counted since an earlier moment, with one number per counter, divided by {@code by}. */
    public Measurement countsSince(StoreLoad before, double by, UnaryOperator<String> metric, Measurement with) {
        Measurement all = with;
        for (Map.Entry<String, Double> counter : new TreeMap<>(counters).entrySet()) {
            double count = counter.getValue() - before.counters.getOrDefault(counter.getKey(), 0.0);
            all = all.with(metric.apply(counter.getKey()), count / by);
        }
        return all;
    }

    /** How busy the client and, if it has servers, the store were. */
    public Measurement busySince(StoreLoad before, RunningStore store, Measurement with) {
        double nanos = at - before.at;
        Measurement all = with.with(JVM, 100 * (jvmNanos - before.jvmNanos) / nanos);
        return store.servers().isEmpty() ? all : all.with(STORE, 100 * (storeNanos - before.storeNanos) / nanos);
    }

    public double secondsSince(StoreLoad before) {
        return (at - before.at) / 1e9;
    }
}
