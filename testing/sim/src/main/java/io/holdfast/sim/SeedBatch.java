package io.holdfast.sim;

import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.report.FaultTable;
import io.holdfast.sim.report.FoundViolation;
import io.holdfast.sim.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs many seeds on several threads. Runs share nothing but their sums.
 *
 * @param seeds how many seeds ran
 * @param steps how many events they ran
 * @param fewestSteps of any seed
 * @param fewestFaults of any seed
 * @param table faults by situation and checks by rule, of all seeds
 * @param first the violation with the lowest seed, if there is one
 */
public record SeedBatch(
        long seeds,
        long steps,
        int fewestSteps,
        int fewestFaults,
        FaultTable table,
        @Nullable FoundViolation first) {

    /** Runs {@code count} seeds from {@code from} on and stops at the first violation. */
    public static SeedBatch run(long from, long count, int threads, PlantedBug planted) throws InterruptedException {
        AtomicLong next = new AtomicLong(from);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<SeedBatch>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                parts.add(pool.submit(() -> part(next, from + count, planted)));
            }
            SeedBatch sum = new SeedBatch(0, 0, Integer.MAX_VALUE, Integer.MAX_VALUE, new FaultTable(), null);
            for (Future<SeedBatch> part : parts) {
                sum = sum.plus(part.get());
            }
            return sum;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the simulation itself failed", e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private static SeedBatch part(AtomicLong next, long end, PlantedBug planted) {
        FaultTable table = new FaultTable();
        long seeds = 0;
        long steps = 0;
        int fewestSteps = Integer.MAX_VALUE;
        int fewestFaults = Integer.MAX_VALUE;
        for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
            try {
                Report report = Simulation.run(seed, planted);
                table.add(report.table());
                seeds++;
                steps += report.steps();
                fewestSteps = Math.min(fewestSteps, report.steps());
                fewestFaults = Math.min(fewestFaults, report.faults());
            } catch (FoundViolation violation) {
                next.set(end);
                return new SeedBatch(seeds + 1, steps, fewestSteps, fewestFaults, table, violation);
            }
        }
        return new SeedBatch(seeds, steps, fewestSteps, fewestFaults, table, null);
    }

    private SeedBatch plus(SeedBatch other) {
        table.add(other.table);
        boolean otherFirst = other.first != null && (first == null || other.first.seed() < first.seed());
        return new SeedBatch(
                seeds + other.seeds,
                steps + other.steps,
                Math.min(fewestSteps, other.fewestSteps),
                Math.min(fewestFaults, other.fewestFaults),
                table,
                otherFirst ? other.first : first);
    }
}
