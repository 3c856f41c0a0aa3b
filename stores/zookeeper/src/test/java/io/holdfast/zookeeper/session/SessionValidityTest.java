package io.holdfast.zookeeper.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** U3: what answered heartbeats prove. Times in nanoseconds on a session of 4 s. */
@Tag("quick")
class SessionValidityTest {
    private static final long SECOND = 1_000_000_000;
    private static final long DRIFT = 4 * SECOND / 100 + 2_000_000;

    private final SessionValidity validity = new SessionValidity(4 * SECOND, 0);

    @Test
    void aNewSessionLivesForItsTimeoutFromWhenItWasAskedFor() {
        assertThat(validity.deadline()).isEqualTo(4 * SECOND - DRIFT);
    }

    @Test
    void anAnsweredHeartbeatProvesTheOneAQuarterBeforeIt() {
        validity.answered(SECOND);
        assertThat(validity.deadline()).isEqualTo(4 * SECOND - DRIFT);

        validity.answered(2 * SECOND);
        assertThat(validity.deadline()).isEqualTo(5 * SECOND - DRIFT);

        validity.answered(3 * SECOND);
        assertThat(validity.deadline()).isEqualTo(6 * SECOND - DRIFT);
    }

    @Test
    void aBurstOfRenewalsProvesNoMoreThanOne() {
        validity.answered(SECOND);
        for (int i = 1; i < 50; i++) {
            validity.answered(SECOND + i * 10_000_000L);
        }

        assertThat(validity.deadline()).isEqualTo(4 * SECOND - DRIFT);
    }

    @Test
    void anAnswerThatComesOutOfOrderProvesNothing() {
        validity.answered(3 * SECOND);
        validity.answered(SECOND);
        validity.answered(2 * SECOND);

        assertThat(validity.deadline()).isEqualTo(4 * SECOND - DRIFT);
    }

    @Test
    void aLongSilenceProvesOnlyWhatWasSentBeforeIt() {
        validity.answered(SECOND);
        validity.answered(9 * SECOND);

        assertThat(validity.deadline()).isEqualTo(5 * SECOND - DRIFT);
    }
}
