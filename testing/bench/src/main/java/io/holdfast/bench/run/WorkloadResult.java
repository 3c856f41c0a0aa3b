package io.holdfast.bench.run;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Spread;
import io.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of one workload.
 *
 * @param workload the workload
 * @param run how its contestants were measured
 * @param rounds the outcome of each contestant, by name, in each round
 */
public record WorkloadResult(Workload workload, Run run, List<Map<String, Outcome>> rounds) {
    /** Copies the rounds. */
    public WorkloadResult {
        rounds = List.copyOf(rounds);
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
        return spread(rounds.stream().map(round -> value(round.get(contestant), metric)));
    }

    /**
     * A contestant's number divided by another's within each round, so that a machine that slows down between rounds does
     * not change it. Empty if one of them is broken.
     */
    public Optional<Spread> ratios(String contestant, String metric, String other) {
        if (isBroken(contestant) || isBroken(other)) {
            return Optional.empty();
        }
        return spread(rounds.stream().map(round -> {
            OptionalDouble own = value(round.get(contestant), metric);
            OptionalDouble base = value(round.get(other), metric);
            return own.isEmpty() || base.isEmpty() || base.getAsDouble() == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(own.getAsDouble() / base.getAsDouble());
        }));
    }

    /** The contestant to compare with in this metric: the best sound peer, or the best floor if there is no peer. */
    public Optional<String> reference(String metric) {
        return best(Kind.PEER, metric).or(() -> best(Kind.FLOOR, metric));
    }

    private Optional<String> best(Kind kind, String metric) {
        Comparator<String> byMedian = Comparator.comparingDouble(
                name -> values(name, metric).orElseThrow().median());
        return workload.contestants().stream()
                .filter(contestant -> contestant.kind() == kind)
                .map(Contestant::name)
                .filter(name -> !isBroken(name) && values(name, metric).isPresent())
                .max(workload.moreIsBetter(metric) ? byMedian : byMedian.reversed());
    }

    /** Everything that went wrong, a line each: violations first, then failures, then what was skipped. */
    public List<String> complaints() {
        Set<String> violations = new LinkedHashSet<>();
        Set<String> failures = new LinkedHashSet<>();
        Set<String> skipped = new LinkedHashSet<>();
        IntStream.range(0, rounds.size()).forEach(i -> {
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
        });
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
        return rounds.stream()
                .map(round -> round.get(contestant))
                .anyMatch(outcome -> outcome instanceof Outcome.Failed
                        || (outcome instanceof Outcome.Measured measured
                                && !measured.measurement().violations().isEmpty()));
    }

    private static OptionalDouble value(@Nullable Outcome outcome, String metric) {
        Double value = outcome instanceof Outcome.Measured measured
                ? measured.measurement().values().get(metric)
                : null;
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    private static Optional<Spread> spread(Stream<OptionalDouble> numbers) {
        List<Double> present = numbers.filter(OptionalDouble::isPresent)
                .map(OptionalDouble::getAsDouble)
                .toList();
        return present.isEmpty() ? Optional.empty() : Optional.of(Spread.of(present));
    }
}
