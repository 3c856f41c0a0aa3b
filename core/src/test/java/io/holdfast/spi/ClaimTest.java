package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    @Test
    void onlyPermitsComeInMoreThanOne() {
        assertThat(claim(Mode.PERMIT, 5, TTL, Duration.ZERO, 1).permits()).isEqualTo(5);
        assertThatThrownBy(() -> claim(Mode.EXCLUSIVE, 2, TTL, Duration.ZERO, 1))
                .hasMessageContaining("got 2");
        assertThatThrownBy(() -> claim(Mode.SHARED, 2, TTL, Duration.ZERO, 1)).hasMessageContaining("got 2");
        assertThatThrownBy(() -> claim(Mode.PERMIT, 0, TTL, Duration.ZERO, 1)).hasMessageContaining("got 0");
    }

    /** Rule U5: 255 passes need 256 tokens. */
    @Test
    void aSpanServesThePassesItReserves() {
        assertThat(claim(Mode.EXCLUSIVE, 1, TTL, Duration.ZERO, 256).span()).isEqualTo(256);
        assertThatThrownBy(() -> claim(Mode.EXCLUSIVE, 1, TTL, Duration.ZERO, 257))
                .hasMessageContaining("got 257");
        assertThatThrownBy(() -> claim(Mode.EXCLUSIVE, 1, TTL, Duration.ZERO, 0))
                .hasMessageContaining("got 0");
    }

    @Test
    void timesAreInRange() {
        assertThatThrownBy(() -> claim(Mode.EXCLUSIVE, 1, Duration.ZERO, Duration.ZERO, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0S");
        assertThatThrownBy(() -> claim(Mode.EXCLUSIVE, 1, TTL, Duration.ofSeconds(-1), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-1S");
    }

    @Test
    void aTermCountsFromTheSendingOfTheRequest() {
        assertThat(Term.of(-5, TTL)).isEqualTo(new Term(-5, 30_000_000_000L));
    }

    private static Claim claim(Mode mode, int permits, Duration ttl, Duration lockDelay, int span) {
        return new Claim("n", new HolderId(1, 2, 3), "client", "label", mode, permits, ttl, lockDelay, span);
    }
}
