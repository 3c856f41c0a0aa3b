package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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
            return "who is next?";
        }

        @Override
        public List<Contestant> contestants() {
            return List.of(
                    SampleWorkload.contestant("a", () -> Measurement.of("x", 1)),
                    SampleWorkload.contestant("b", () -> Measurement.of("x", 2)),
                    SampleWorkload.contestant("absent", () -> Measurement.of("x", 3)));
        }

        @Override
        public String baseline() {
            return "a";
        }

        @Override
        public List<Bar> bars() {
            return List.of();
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
    void whoCannotTakePartIsSkippedWithTheReason() {
        Rounds rounds = new Rounds(
                (workload, contestant, run) -> {
                    assertThat(contestant.name()).isNotEqualTo("absent");
                    return new Outcome.Measured(Measurement.of("x", 1));
                },
                (workload, round, contestant, outcome) -> {});
        WorkloadResult result = rounds.run(THREE, THREE.fullRun(), 1);
        assertThat(result.rounds().get(0)).containsEntry("absent", new Outcome.Skipped("nobody home"));
        assertThat(result.complaints()).containsExactly("skipped absent: nobody home");
        assertThat(result.isBroken()).isFalse();
    }
}
