package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
final class BackoffTest {
    private static final long MILLI = 1_000_000;

    private final Backoff backoff = new Backoff(Duration.ofMillis(2), Duration.ofMillis(200));

    @Test
    void pausesSpreadFromZeroToABoundThatDoublesUpToTheLongest() {
        long[] bounds = {2, 4, 8, 16, 32, 64, 128, 200, 200};
        for (int lost = 1; lost <= bounds.length; lost++) {
            long bound = bounds[lost - 1] * MILLI;
            List<Long> drawn = draws(lost);
            assertThat(drawn).allMatch(pause -> pause >= 0 && pause < bound);
            assertThat(Collections.max(drawn)).isGreaterThan(bound * 9 / 10);
            assertThat(Collections.min(drawn)).isLessThan(bound / 10);
        }
        assertThat(draws(10_000)).allMatch(pause -> pause >= 0 && pause < 200 * MILLI);
    }

    @Test
    void noPauseAtAllIsAllowedAndNonsenseIsNot() {
        assertThat(new Backoff(Duration.ZERO, Duration.ZERO).draw(5, new Random(1)))
                .isZero();
        assertThatThrownBy(() -> new Backoff(Duration.ofMillis(-1), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff(Duration.ofMillis(2), Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofMinutes(2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private List<Long> draws(int lost) {
        Random random = new Random(lost);
        return Stream.generate(() -> backoff.draw(lost, random)).limit(500).toList();
    }
}
