package io.holdfast.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.SampleWorkload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real JVMs. */
@Tag("slow")
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

    @Test
    void aContestantEndsWithTheHarness() throws Exception {
        Process process = new ProcessBuilder(
                        ForkedJvm.command(SAMPLE, contestant("endless"), SAMPLE.fullRun(), Path.of("unused")))
                .start();
        try {
            assertThat(process.isAlive()).isTrue();
            // What the kernel does when the harness dies.
            process.getOutputStream().close();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Outcome measure(String contestant, ForkedJvm jvm) {
        return jvm.measure(SAMPLE, contestant(contestant), SAMPLE.fullRun());
    }

    private static Contestant contestant(String name) {
        return SAMPLE.contestants().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
