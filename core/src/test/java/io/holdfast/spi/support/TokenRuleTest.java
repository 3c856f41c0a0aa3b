package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenRuleTest {
    private static final long NOW = 1_800_000_000_000_000L;

    @Test
    void aTokenFollowsTheClockUntilTheCounterIsAhead() {
        assertThat(TokenRule.first(NOW - 5, NOW)).isEqualTo(NOW);
        assertThat(TokenRule.first(NOW, NOW)).isEqualTo(NOW + 1);
        assertThat(TokenRule.first(NOW + 70, NOW)).isEqualTo(NOW + 71);
    }

    @Test
    void aCounterThatWasNeverUsedOrWasLostBeginsAheadOfTheClock() {
        assertThat(TokenRule.base(0, NOW)).isEqualTo(NOW + 200_000);
        assertThat(TokenRule.base(7, NOW)).isEqualTo(7);
    }

    @Test
    void aGrantReservesASingleTokenWhileTheCounterIsFarAheadOfTheClock() {
        assertThat(TokenRule.span(NOW + 100_000, 16, NOW)).isEqualTo(16);
        assertThat(TokenRule.span(NOW + 100_001, 16, NOW)).isEqualTo(1);
    }
}
