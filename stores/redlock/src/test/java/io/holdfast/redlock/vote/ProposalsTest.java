package io.holdfast.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which tokens a client proposes. */
@Tag("quick")
class ProposalsTest {
    private static final long NOW = 1_000_000_000_000L;
    private static final long TWO_HOURS = TimeUnit.HOURS.toMicros(2);

    private final Proposals proposals = new Proposals();
    private final Random random = new Random(1);

    /** U27: it counts on from the fences while the clock is refused, and asks the clock again a minute later. */
    @Test
    void aClockThatWasRefusedIsUsedAgainWhenItWasSet() {
        proposals.next(7, 1, NOW + TWO_HOURS, 0, random);
        proposals.tooFarAhead(7, NOW, 0);
        assertThat(proposals.next(7, 1, NOW + TWO_HOURS, 1, random).token()).isEqualTo(NOW + 1);
        assertThat(proposals.highest(7)).isEqualTo(Long.MAX_VALUE);

        long later = TimeUnit.MINUTES.toNanos(1);
        long wall = NOW + TimeUnit.MINUTES.toMicros(1);

        assertThat(proposals.next(7, 1, wall, later, random).token()).isEqualTo(wall);
        assertThat(proposals.highest(7))
                .as("the short way of a release is open")
                .isEqualTo(wall);
    }

    @Test
    void aClockThatIsStillWrongIsRefusedAgain() {
        proposals.tooFarAhead(7, NOW, 0);
        long later = TimeUnit.MINUTES.toNanos(1);
        assertThat(proposals.next(7, 1, NOW + TWO_HOURS, later, random).token()).isEqualTo(NOW + TWO_HOURS);

        proposals.tooFarAhead(7, NOW, later);

        assertThat(proposals.next(7, 1, NOW + TWO_HOURS, later + 1, random).token())
                .isEqualTo(NOW + 1);
    }
}
