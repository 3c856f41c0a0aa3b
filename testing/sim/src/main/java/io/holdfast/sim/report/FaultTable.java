package io.holdfast.sim.report;

import io.holdfast.sim.check.EnumCounts;
import io.holdfast.sim.check.Rule;
import io.holdfast.sim.check.Rules;
import io.holdfast.sim.plan.Fault;
import io.holdfast.sim.plan.Situation;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** How often each fault met each situation, and how often each rule was checked. */
public final class FaultTable {
    private final Map<Fault, EnumCounts<Situation>> met = new EnumMap<>(Fault.class);
    private final EnumCounts<Fault> total = new EnumCounts<>(Fault.class);
    private final EnumCounts<Rule> checked = new EnumCounts<>(Rule.class);

    public void count(Fault fault) {
        total.add(fault);
    }

    public void count(Fault fault, Situation situation) {
        situations(fault).add(situation);
    }

    public long met(Fault fault, Situation situation) {
        return situations(fault).of(situation);
    }

    public long all() {
        return total.sum();
    }

    public long checked(Rule rule) {
        return checked.of(rule);
    }

    public void take(Rules rules) {
        checked.addAll(rules.checked());
    }

    public void add(FaultTable other) {
        other.met.forEach((fault, situations) -> situations(fault).addAll(situations));
        total.addAll(other.total);
        checked.addAll(other.checked);
    }

    private EnumCounts<Situation> situations(Fault fault) {
        return met.computeIfAbsent(fault, unused -> new EnumCounts<>(Situation.class));
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
