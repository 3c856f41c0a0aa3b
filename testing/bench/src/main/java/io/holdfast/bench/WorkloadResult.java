package io.holdfast.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The rounds of one workload.
 *
 * @param workload the workload
 * @param run how its contestants were measured
 * @param rounds what became of each contestant, by name, in each round
 */
public record WorkloadResult(Workload workload, Run run, List<Map<String, Outcome>> rounds) {
    /** Copies the rounds. */
    public WorkloadResult {
        rounds = List.copyOf(rounds);
    }

    /** Whether it has a bar to decide and rounds enough to do so. */
    public boolean decides() {
        return workload.bars().isEmpty() || rounds.size() >= BenchOptions.ROUNDS;
    }

    /** Each bar with what the rounds say about it. */
    public Map<Bar, Bar.Result> bars() {
        Map<Bar, Bar.Result> results = new LinkedHashMap<>();
        workload.bars().forEach(bar -> results.put(bar, bar.judge(rounds, workload.baseline())));
        return results;
    }

    /** The metrics of all contestants, in the order in which they first appear. */
    public Set<String> metrics() {
        Set<String> metrics = new LinkedHashSet<>();
        workload.contestants().forEach(contestant -> metrics.addAll(metrics(contestant.name())));
        return metrics;
    }

    /** The metrics of a contestant, in its own order. */
    public Set<String> metrics(String contestant) {
        Set<String> metrics = new LinkedHashSet<>();
        for (Map<String, Outcome> round : rounds) {
            if (round.get(contestant) instanceof Outcome.Measured measured) {
                metrics.addAll(measured.measurement().values().keySet());
            }
        }
        return metrics;
    }

    /** A contestant's number over the rounds that have it. */
    public Optional<Spread> values(String contestant, String metric) {
        return spread(rounds.stream()
                .map(round -> Bar.valueOf(round.get(contestant), metric))
                .toList());
    }

    /** A contestant's number divided by the baseline's within each round. */
    public Optional<Spread> ratios(String contestant, String metric) {
        return ratios(contestant, metric, workload.baseline());
    }

    /** A contestant's number divided by another's within each round. */
    public Optional<Spread> ratios(String contestant, String metric, String other) {
        return hasViolated(contestant) || hasViolated(other)
                ? Optional.empty()
                : ratiosOfSound(contestant, metric, other);
    }

    /** Fast and wrong is not fast: nobody is compared with it. */
    private boolean hasViolated(String contestant) {
        return rounds.stream()
                .map(round -> round.get(contestant))
                .anyMatch(outcome -> outcome instanceof Outcome.Measured measured
                        && !measured.measurement().violations().isEmpty());
    }

    private Optional<Spread> ratiosOfSound(String contestant, String metric, String other) {
        return spread(rounds.stream()
                .map(round -> Bar.compare(
                        Bar.Comparison.RATIO,
                        Bar.valueOf(round.get(contestant), metric),
                        Bar.valueOf(round.get(other), metric)))
                .toList());
    }

    /** Everything that went wrong, a line each: violations first, then failures, then what was skipped. */
    public List<String> complaints() {
        Set<String> violations = new LinkedHashSet<>();
        Set<String> failures = new LinkedHashSet<>();
        Set<String> skipped = new LinkedHashSet<>();
        for (int i = 0; i < rounds.size(); i++) {
            String where = " in round " + (i + 1) + ": ";
            rounds.get(i).forEach((name, outcome) -> {
                if (outcome instanceof Outcome.Measured measured) {
                    measured.measurement()
                            .violations()
                            .forEach(text -> violations.add("BROKEN " + name + where + text));
                } else if (outcome instanceof Outcome.Failed failed) {
                    failures.add("FAILED " + name + where + failed.why());
                } else if (outcome instanceof Outcome.Skipped skip) {
                    skipped.add("skipped " + name + ": " + skip.why());
                }
            });
        }
        List<String> all = new ArrayList<>(violations);
        all.addAll(failures);
        all.addAll(skipped);
        return all;
    }

    /** Whether a contestant did something wrong or failed, as opposed to being slow or skipped. */
    public boolean isBroken() {
        return workload.contestants().stream().anyMatch(contestant -> isBroken(contestant.name()));
    }

    /** Whether this contestant did something wrong or failed in any round. */
    public boolean isBroken(String contestant) {
        return hasViolated(contestant)
                || rounds.stream().anyMatch(round -> round.get(contestant) instanceof Outcome.Failed);
    }

    private static Optional<Spread> spread(List<OptionalDouble> numbers) {
        List<Double> present = numbers.stream()
                .filter(OptionalDouble::isPresent)
                .map(OptionalDouble::getAsDouble)
                .toList();
        return present.isEmpty() ? Optional.empty() : Optional.of(Spread.of(present));
    }
}
