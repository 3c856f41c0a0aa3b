package io.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What a contestant is to reach.
 *
 * <p>A comparison is made within each round, between numbers that were measured next to each other; only then is the
 * median taken over the rounds. A machine that slows down between rounds therefore does not change the result.
 *
 * @param contestant whose number it is
 * @param metric which number
 * @param comparison what the number is compared with
 * @param relation on which side of the limit it is to be
 * @param limit the bar
 * @param reference the contestant it is compared with; empty for the baseline of the workload
 */
public record Bar(
        String contestant, String metric, Comparison comparison, Relation relation, double limit, String reference) {
    /** What a number is compared with. */
    public enum Comparison {
        /** Divided by the baseline's number of the same round. */
        RATIO,
        /** The baseline's number of the same round taken off. */
        DIFFERENCE,
        /** The number itself. */
        VALUE
    }

    /** On which side of the limit the number is to be. */
    public enum Relation {
        /** Not smaller. */
        AT_LEAST("≥"),
        /** Not larger. */
        AT_MOST("≤"),
        /** Smaller. */
        BELOW("<");

        private final String sign;

        Relation(String sign) {
            this.sign = sign;
        }

        boolean holds(double number, double limit) {
            return switch (this) {
                case AT_LEAST -> number >= limit;
                case AT_MOST -> number <= limit;
                case BELOW -> number < limit;
            };
        }
    }

    /**
     * What the rounds say.
     *
     * @param verdict the verdict
     * @param rounds the compared number of each round that has one
     * @param spread of these; null if there are none
     * @param reason why it is broken or not measured; empty otherwise
     */
    public record Result(
            Verdict verdict, List<Double> rounds, @Nullable Spread spread, String reason) {}

    /** A part of the baseline. */
    public static Bar ratio(String contestant, String metric, Relation relation, double limit) {
        return new Bar(contestant, metric, Comparison.RATIO, relation, limit, "");
    }

    /** An amount above the baseline. */
    public static Bar difference(String contestant, String metric, Relation relation, double limit) {
        return new Bar(contestant, metric, Comparison.DIFFERENCE, relation, limit, "");
    }

    /** The number itself. */
    public static Bar value(String contestant, String metric, Relation relation, double limit) {
        return new Bar(contestant, metric, Comparison.VALUE, relation, limit, "");
    }

    /** The same in comparison with another contestant than the baseline. */
    public Bar against(String other) {
        return new Bar(contestant, metric, comparison, relation, limit, other);
    }

    /** Whose number it needs beside its own, if any: the reference, else this baseline. */
    public Optional<String> comparedWith(String baseline) {
        return comparison == Comparison.VALUE
                ? Optional.empty()
                : Optional.of(reference.isEmpty() ? baseline : reference);
    }

    /** The bar for people. */
    public String text(String baseline) {
        String other = comparedWith(baseline).orElse("");
        String bar = contestant + ": " + metric;
        return switch (comparison) {
            case RATIO -> bar + " " + relation.sign + " " + Numbers.limit(limit) + " × " + other;
            case DIFFERENCE -> bar + " above " + other + " " + relation.sign + " " + Numbers.limit(limit);
            case VALUE -> bar + " " + relation.sign + " " + Numbers.limit(limit);
        };
    }

    /** Judges the rounds, each of which is the outcome of every contestant by name. */
    public Result judge(List<Map<String, Outcome>> rounds, String baseline) {
        Optional<String> other = comparedWith(baseline);
        List<String> involved = other.isEmpty() ? List.of(contestant) : List.of(contestant, other.get());
        List<Double> numbers = new ArrayList<>();
        String broken = "";
        String missing = "";
        for (int i = 0; i < rounds.size(); i++) {
            for (String name : involved) {
                Outcome outcome = rounds.get(i).get(name);
                if (outcome instanceof Outcome.Measured measured) {
                    List<String> violations = measured.measurement().violations();
                    broken = broken.isEmpty() && !violations.isEmpty()
                            ? name + " in round " + (i + 1) + ": " + violations.get(0)
                            : broken;
                } else {
                    missing = missing.isEmpty() ? name + " in round " + (i + 1) + ": " + why(outcome) : missing;
                }
            }
            number(rounds.get(i), other).ifPresent(numbers::add);
        }
        if (missing.isEmpty() && numbers.size() < rounds.size()) {
            missing = "no number for " + metric;
        }
        Spread spread = numbers.isEmpty() ? null : Spread.of(numbers);
        if (!broken.isEmpty()) {
            return new Result(Verdict.BROKEN, numbers, spread, broken);
        }
        if (!missing.isEmpty() || spread == null) {
            return new Result(Verdict.NOT_MEASURED, numbers, spread, missing.isEmpty() ? "no round" : missing);
        }
        return new Result(verdict(spread), numbers, spread, "");
    }

    private Verdict verdict(Spread spread) {
        boolean lowHolds = relation.holds(spread.min(), limit);
        boolean highHolds = relation.holds(spread.max(), limit);
        return lowHolds == highHolds ? (lowHolds ? Verdict.MET : Verdict.MISSED) : Verdict.UNDECIDED;
    }

    private OptionalDouble number(Map<String, Outcome> round, Optional<String> other) {
        OptionalDouble own = valueOf(round.get(contestant), metric);
        return other.isEmpty() ? own : compare(comparison, own, valueOf(round.get(other.get()), metric));
    }

    /** Compares two numbers of one round; empty if one is missing or the baseline is zero. */
    static OptionalDouble compare(Comparison how, OptionalDouble own, OptionalDouble base) {
        if (own.isEmpty() || base.isEmpty() || (how == Comparison.RATIO && base.getAsDouble() == 0)) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(
                how == Comparison.RATIO
                        ? own.getAsDouble() / base.getAsDouble()
                        : own.getAsDouble() - base.getAsDouble());
    }

    /** One number of an outcome, if it has it. */
    static OptionalDouble valueOf(@Nullable Outcome outcome, String metric) {
        Double value = outcome instanceof Outcome.Measured measured
                ? measured.measurement().values().get(metric)
                : null;
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    private static String why(@Nullable Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            // The whole of it stands among the complaints.
            return "failed: " + failed.why().lines().findFirst().orElse("");
        }
        return outcome instanceof Outcome.Skipped skipped ? "skipped: " + skipped.why() : "not run";
    }
}
