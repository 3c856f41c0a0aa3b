package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Real JVMs. */
class ForkedJvmTest {
    private static final SampleWorkload SAMPLE = new SampleWorkload();
    private final ForkedJvm jvm = new ForkedJvm(Duration.ofMinutes(2));

    @Test
    void aContestantIsMeasuredInAJvmOfItsOwn() {
        Measurement measurement = ((Outcome.Measured) measure("half", jvm)).measurement();
        assertThat(measurement.values()).containsEntry(SampleWorkload.METRIC, 50.0);
        assertThat(measurement.values().get("process"))
                .isNotEqualTo((double) ProcessHandle.current().pid());
    }

    @Test
    void violationsComeBack() {
        assertThat(((Outcome.Measured) measure("wrong", jvm)).measurement().violations())
                .containsExactly("two holders at a time");
    }

    @Test
    void aContestantThatThrowsHasFailedWithItsReason() {
        assertThat(((Outcome.Failed) measure("failing", jvm)).why())
                .contains("exit status 1")
                .contains("out of luck");
    }

    @Test
    void aContestantThatDoesNotEndIsKilled() {
        assertThat(((Outcome.Failed) measure("endless", new ForkedJvm(Duration.ofMillis(1500)))).why())
                .contains("no result within");
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    private static Outcome measure(String contestant, ForkedJvm jvm) {
        return jvm.measure(
                SAMPLE,
                SAMPLE.contestants().stream()
                        .filter(candidate -> candidate.name().equals(contestant))
                        .findFirst()
                        .orElseThrow(),
                SAMPLE.fullRun());
    }
}
