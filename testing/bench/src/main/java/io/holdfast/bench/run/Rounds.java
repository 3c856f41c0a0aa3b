package io.holdfast.bench.run;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs workloads in interleaved rounds: in each round every contestant is measured once, one after the other, and each
 * round begins with another contestant, so that no contestant always runs first on a cool machine.
 */
public final class Rounds {
    /** Measures one contestant once. */
    @FunctionalInterface
    public interface Measurer {
        Outcome measure(Workload workload, Contestant contestant, Run run);
    }

    /** Is told of every measurement. */
    @FunctionalInterface
    public interface Progress {
        void measured(Workload workload, int round, String contestant, Outcome outcome);
    }

    private final Measurer measurer;
    private final Progress progress;

    public Rounds(Measurer measurer, Progress progress) {
        this.measurer = measurer;
        this.progress = progress;
    }

    public WorkloadResult run(Workload workload, Run run, int count) {
        List<Map<String, Outcome>> rounds = new ArrayList<>();
        for (int round = 0; round < count; round++) {
            List<Contestant> order = new ArrayList<>(workload.contestants());
            Collections.rotate(order, -round);
            Map<String, Outcome> outcomes = new LinkedHashMap<>();
            for (Contestant contestant : order) {
                Optional<String> obstacle = contestant.obstacle();
                Outcome outcome = obstacle.isPresent()
                        ? new Outcome.Skipped(obstacle.get())
                        : measurer.measure(workload, contestant, run);
                outcomes.put(contestant.name(), outcome);
                progress.measured(workload, round + 1, contestant.name(), outcome);
            }
            rounds.add(outcomes);
        }
        return new WorkloadResult(workload, run, rounds);
    }
}
