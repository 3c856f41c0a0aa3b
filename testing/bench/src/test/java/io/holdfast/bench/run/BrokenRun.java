package io.holdfast.bench.run;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.util.List;

/** Measures a workload once in this JVM. */
public final class BrokenRun {
    private BrokenRun() {}

    /** What went wrong. */
    public static List<String> complaints(Workload workload, Run run) {
        Rounds rounds = new Rounds(BrokenRun::measure, (measured, round, contestant, outcome) -> {});
        return rounds.run(workload, run, 1).complaints();
    }

    private static Outcome measure(Workload workload, Contestant contestant, Run run) {
        try {
            return new Outcome.Measured(contestant.measure(run));
        } catch (Exception e) {
            return new Outcome.Failed(e.toString());
        }
    }
}
