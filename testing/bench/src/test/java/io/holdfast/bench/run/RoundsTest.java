package io.holdfast.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.SampleWorkload;
import io.holdfast.bench.workload.Spread;
import io.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class RoundsTest {
    private static final Workload THREE = new Workload() {
        @Override
        public String id() {
            return "three";
        }

        @Override
        public String question() {
            return "which is next?";
        }

        @Override
        public List<Contestant> contestants() {
            return List.of(
                    SampleWorkload.contestant("a", () -> Measurement.of("x", 1)),
                    SampleWorkload.contestant("b", () -> Measurement.of("x", 2)),
                    SampleWorkload.contestant("absent", () -> Measurement.of("x", 3)));
        }
    };

    @Test
    void roundsAreInterleavedAndEachBeginsWithAnother() {
        List<String> order = new ArrayList<>();
        Rounds rounds = new Rounds(
                (workload, contestant, run) -> new Outcome.Measured(Measurement.of("x", 1)),
                (workload, round, contestant, outcome) -> order.add(round + contestant));
        WorkloadResult result = rounds.run(THREE, THREE.fullRun(), 3);
        assertThat(order).containsExactly("1a", "1b", "1absent", "2b", "2absent", "2a", "3absent", "3a", "3b");
        assertThat(result.rounds()).hasSize(3);
    }

    @Test
    void aContestantThatCannotTakePartIsSkippedWithTheReason() {
        Rounds rounds = new Rounds(
                (workload, contestant, run) -> {
                    assertThat(contestant.name()).isNotEqualTo("absent");
                    return new Outcome.Measured(Measurement.of("x", 1));
                },
                (workload, round, contestant, outcome) -> {});
        WorkloadResult result = rounds.run(THREE, THREE.fullRun(), 1);
        assertThat(result.rounds().get(0)).containsEntry("absent", new Outcome.Skipped("not installed"));
        assertThat(result.complaints()).containsExactly("skipped absent: not installed");
        assertThat(result.isBroken()).isFalse();
    }

    @Test
    void aRatioIsTakenWithinEachRoundAndToTheBestPeer() {
        AtomicInteger calls = new AtomicInteger();
        Rounds rounds = new Rounds(
                (workload, contestant, run) -> {
                    int round = calls.getAndIncrement() / 2 + 1;
                    return new Outcome.Measured(
                            Measurement.of("x/s", contestant.name().equals("a") ? round : 2.0 * round));
                },
                (workload, round, contestant, outcome) -> {});
        WorkloadResult result = rounds.run(THREE, THREE.fullRun(), 3);
        assertThat(result.values("a", "x/s")).contains(new Spread(2, 1, 3));
        assertThat(result.reference("x/s")).contains("b");
        assertThat(result.ratios("a", "x/s", "b")).contains(new Spread(0.5, 0.5, 0.5));
        assertThat(result.ratios("a", "y/s", "b")).isEmpty();
    }

    @Test
    void aBrokenContestantIsNeitherComparedNorTheBest() {
        Rounds rounds = new Rounds(
                (workload, contestant, run) -> new Outcome.Measured(Measurement.of("x/s", 1)
                        .with(contestant.name().equals("b") ? List.of("two holders") : List.of())),
                (workload, round, contestant, outcome) -> {});
        WorkloadResult result = rounds.run(THREE, THREE.fullRun(), 2);
        assertThat(result.isBroken()).isTrue();
        assertThat(result.reference("x/s")).contains("a");
        assertThat(result.ratios("b", "x/s", "a")).isEmpty();
        assertThat(result.complaints())
                .contains("BROKEN b in round 1: two holders", "BROKEN b in round 2: two holders");
    }
}
