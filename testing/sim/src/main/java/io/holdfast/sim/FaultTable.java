package io.holdfast.sim;

import java.util.Locale;

/** How often each fault met each situation, and how often each rule was checked. */
final class FaultTable {
    private final long[][] met = new long[Fault.values().length][Situation.values().length];
    private final long[] total = new long[Fault.values().length];
    private final long[] checked = new long[Rule.values().length];

    void count(Fault fault) {
        total[fault.ordinal()]++;
    }

    void count(Fault fault, Situation situation) {
        met[fault.ordinal()][situation.ordinal()]++;
    }

    long met(Fault fault, Situation situation) {
        return met[fault.ordinal()][situation.ordinal()];
    }

    long total(Fault fault) {
        return total[fault.ordinal()];
    }

    long all() {
        long sum = 0;
        for (long one : total) {
            sum += one;
        }
        return sum;
    }

    long checked(Rule rule) {
        return checked[rule.ordinal()];
    }

    void take(Rules rules) {
        for (Rule rule : Rule.values()) {
            checked[rule.ordinal()] += rules.checked(rule);
        }
    }

    void add(FaultTable other) {
        for (int i = 0; i < met.length; i++) {
            total[i] += other.total[i];
            for (int j = 0; j < met[i].length; j++) {
                met[i][j] += other.met[i][j];
            }
        }
        for (int i = 0; i < checked.length; i++) {
            checked[i] += other.checked[i];
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format("%-13s %9s", "fault", "all"));
        for (Situation situation : Situation.values()) {
            text.append(String.format(" %18s", situation.name().toLowerCase(Locale.ROOT)));
        }
        for (Fault fault : Fault.values()) {
            text.append(
                    String.format("%n%-13s %9d", fault.name().toLowerCase(Locale.ROOT), total[fault.ordinal()]));
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
