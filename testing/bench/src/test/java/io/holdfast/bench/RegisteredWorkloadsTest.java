package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every workload on the class path, run for an instant: it works, and measures what its bars need. Never how fast. */
class RegisteredWorkloadsTest {
    private static final Run INSTANT = new Run(Duration.ofMillis(10), Duration.ofMillis(50), true);

    private static List<Workload> registered() {
        return Workloads.all().stream()
                .filter(workload -> !(workload instanceof SampleWorkload))
                .toList();
    }

    @Test
    void idsAndContestantsAreUniqueAndBarsNameThem() {
        assertThat(registered().stream().map(Workload::id)).isNotEmpty().doesNotHaveDuplicates();
        for (Workload workload : registered()) {
            List<String> names =
                    workload.contestants().stream().map(Contestant::name).toList();
            assertThat(names).as(workload.id()).doesNotHaveDuplicates();
            assertThat(workload.bars())
                    .as(workload.id())
                    .isNotEmpty()
                    .allSatisfy(bar -> assertThat(names).contains(bar.contestant()));
            assertThat(workload.baseline().isEmpty() || names.contains(workload.baseline()))
                    .as(workload.id() + " has its baseline")
                    .isTrue();
        }
    }

    @TestFactory
    Stream<DynamicTest> everyContestantMeasuresWhatTheBarsNeed() {
        return registered().stream()
                .flatMap(workload -> workload.contestants().stream()
                        .filter(contestant -> contestant.obstacle().isEmpty())
                        .map(contestant -> DynamicTest.dynamicTest(
                                workload.id() + " " + contestant.name(), () -> measures(workload, contestant))));
    }

    private static void measures(Workload workload, Contestant contestant) throws Exception {
        Measurement measurement = contestant.measure(INSTANT);
        assertThat(measurement.violations()).isEmpty();
        for (Bar bar : workload.bars()) {
            boolean compared = bar.comparison() != Bar.Comparison.VALUE
                    && contestant.name().equals(workload.baseline());
            if (compared || bar.contestant().equals(contestant.name())) {
                assertThat(measurement.values()).containsKey(bar.metric());
            }
        }
    }
}
