package io.holdfast.bench;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A workload with only those who have a bar to reach and those they are compared with: more rounds in the same time. */
record Barred(Workload whole) implements Workload {
    @Override
    public String id() {
        return whole.id();
    }

    @Override
    public String question() {
        return whole.question();
    }

    @Override
    public List<Contestant> contestants() {
        Set<String> needed = new HashSet<>();
        for (Bar bar : bars()) {
            needed.add(bar.contestant());
            bar.comparedWith(baseline()).ifPresent(needed::add);
        }
        return whole.contestants().stream()
                .filter(contestant -> needed.isEmpty() || needed.contains(contestant.name()))
                .toList();
    }

    @Override
    public String baseline() {
        return whole.baseline();
    }

    @Override
    public List<Bar> bars() {
        return whole.bars();
    }

    @Override
    public boolean moreIsBetter(String metric) {
        return whole.moreIsBetter(metric);
    }

    @Override
    public Run fullRun() {
        return whole.fullRun();
    }

    @Override
    public Duration expected(Run run) {
        return whole.expected(run);
    }

    @Override
    public int rounds(int wanted) {
        return whole.rounds(wanted);
    }

    @Override
    public Run quickRun() {
        return whole.quickRun();
    }
}
