package io.holdfast.bench;

import java.util.List;

/** A workload measured once in this JVM, and what the report says of it. */
public final class BrokenRun {
    private BrokenRun() {}

    /** The text of the report. */
    public static String report(Workload workload, Run run) {
        Rounds rounds = new Rounds(BrokenRun::measure, (measured, round, contestant, outcome) -> {});
        return TextReport.of(Machine.here(), true, List.of(rounds.run(workload, run, 1)));
    }

    private static Outcome measure(Workload workload, Contestant contestant, Run run) {
        try {
            return new Outcome.Measured(contestant.measure(run));
        } catch (Exception e) {
            return new Outcome.Failed(e.toString());
        }
    }
}
