package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** U3: what answered heartbeats prove. Times in nanoseconds on a session of 4 s. */
@Tag("quick")
class PulseTest {
    private static final long SECOND = 1_000_000_000;
    private static final long DRIFT = 4 * SECOND / 100 + 2_000_000;

    private final Pulse pulse = new Pulse(4 * SECOND, 0);

    @Test
    void aNewSessionLivesForItsTimeoutFromWhenItWasAskedFor() {
        assertThat(pulse.deadline()).isEqualTo(4 * SECOND - DRIFT);
    }

    @Test
    void anAnsweredHeartbeatProvesTheOneAQuarterBeforeIt() {
        pulse.answered(SECOND);
        assertThat(pulse.deadline()).isEqualTo(4 * SECOND - DRIFT);

        pulse.answered(2 * SECOND);
        assertThat(pulse.deadline()).isEqualTo(5 * SECOND - DRIFT);

        pulse.answered(3 * SECOND);
        assertThat(pulse.deadline()).isEqualTo(6 * SECOND - DRIFT);
    }

    @Test
    void aBurstOfRenewalsProvesNoMoreThanOne() {
        pulse.answered(SECOND);
        for (int i = 1; i < 50; i++) {
            pulse.answered(SECOND + i * 10_000_000L);
        }

        assertThat(pulse.deadline()).isEqualTo(4 * SECOND - DRIFT);
    }

    @Test
    void anAnswerThatComesOutOfOrderProvesNothing() {
        pulse.answered(3 * SECOND);
        pulse.answered(SECOND);
        pulse.answered(2 * SECOND);

        assertThat(pulse.deadline()).isEqualTo(4 * SECOND - DRIFT);
    }

    @Test
    void aLongSilenceProvesOnlyWhatWasSentBeforeIt() {
        pulse.answered(SECOND);
        pulse.answered(9 * SECOND);

        assertThat(pulse.deadline()).isEqualTo(5 * SECOND - DRIFT);
    }
}
