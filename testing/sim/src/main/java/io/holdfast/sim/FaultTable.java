package io.holdfast.sim;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** How often each fault met each situation, and how often each rule was checked. */
final class FaultTable {
    private final Map<Fault, Tally<Situation>> met = new EnumMap<>(Fault.class);
    private final Tally<Fault> total = new Tally<>(Fault.class);
    private final Tally<Rule> checked = new Tally<>(Rule.class);

    void count(Fault fault) {
        total.add(fault);
    }

    void count(Fault fault, Situation situation) {
        situations(fault).add(situation);
    }

    long met(Fault fault, Situation situation) {
        return situations(fault).of(situation);
    }

    long all() {
        return total.sum();
    }

    long checked(Rule rule) {
        return checked.of(rule);
    }

    void take(Rules rules) {
        checked.addAll(rules.checked());
    }

    void add(FaultTable other) {
        other.met.forEach((fault, situations) -> situations(fault).addAll(situations));
        total.addAll(other.total);
        checked.addAll(other.checked);
    }

    private Tally<Situation> situations(Fault fault) {
        return met.computeIfAbsent(fault, unused -> new Tally<>(Situation.class));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format("%-13s %9s", "fault", "all"));
        for (Situation situation : Situation.values()) {
            text.append(String.format(" %18s", situation.name().toLowerCase(Locale.ROOT)));
        }
        for (Fault fault : Fault.values()) {
            text.append(String.format("%n%-13s %9d", fault.name().toLowerCase(Locale.ROOT), total.of(fault)));
            for (Situation situation : Situation.values()) {
                text.append(String.format(" %18d", met(fault, situation)));
            }
        }
        text.append(String.format("%n%n%-16s %12s%n", "rule", "checked"));
        for (Rule rule : Rule.values()) {
            text.append(String.format("%-16s %12d  %s%n", rule, checked(rule), rule.promise()));
        }
        return text.toString();
    }
}
