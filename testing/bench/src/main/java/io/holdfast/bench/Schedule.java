package io.holdfast.bench;

import java.time.Duration;
import java.util.List;

/**
 * How long the run will take: what the workloads expect of themselves, corrected by how the measurements so far compare
 * with that. Not thread-safe.
 */
final class Schedule {
    private final List<Planned> plan;
    private Duration expected = Duration.ZERO;
    private Duration spent = Duration.ZERO;

    /**
     * A workload that is to be measured.
     *
     * @param workload which
     * @param run how
     * @param rounds how often
     */
    record Planned(Workload workload, Run run, int rounds) {
        Duration expected() {
            return workload.expected(run)
                    .multipliedBy(rounds)
                    .multipliedBy(workload.contestants().size());
        }
    }

    Schedule(List<Planned> plan) {
        this.plan = List.copyOf(plan);
    }

    List<Planned> plan() {
        return plan;
    }

    /** A workload is over. */
    void done(Planned planned, Duration took) {
        expected = expected.plus(planned.expected());
        spent = spent.plus(took);
    }

    /** What is left from this workload on. */
    Duration left(Planned next) {
        Duration sum = plan.subList(plan.indexOf(next), plan.size()).stream()
                .map(Planned::expected)
                .reduce(Duration.ZERO, Duration::plus);
        return expected.isZero() ? sum : Duration.ofMillis((long) (sum.toMillis() * correction()));
    }

    /** A first workload that was far off says little of the others, so it takes some until they are believed. */
    private double correction() {
        double doubt = Duration.ofMinutes(2).toMillis();
        return (spent.toMillis() + doubt) / (expected.toMillis() + doubt);
    }

    /** A duration for people: seconds below two minutes, else minutes. */
    static String text(Duration time) {
        long seconds = Math.max(1, time.toSeconds());
        return seconds < 120 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
    }
}
