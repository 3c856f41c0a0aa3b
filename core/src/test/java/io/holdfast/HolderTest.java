package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HolderTest {
    @Test
    void aGrantCoversTheTokensOfItsSpanAndNoOthers() {
        Holder holder = holder(100, 4);

        assertThat(holder.covers(99)).isFalse();
        assertThat(holder.covers(100)).isTrue();
        assertThat(holder.covers(103)).isTrue();
        assertThat(holder.covers(104)).isFalse();
        assertThat(holder.covers(Long.MAX_VALUE)).isFalse();
        assertThat(holder.covers(Long.MIN_VALUE)).isFalse();
    }

    @Test
    void theLastTokensAreCoveredWithoutOverflow() {
        Holder holder = holder(Long.MAX_VALUE - 1, 256);

        assertThat(holder.covers(Long.MAX_VALUE)).isTrue();
        assertThat(holder.covers(1)).isFalse();
    }

    private static Holder holder(long token, int span) {
        return new Holder(
                "client", "label", Mode.EXCLUSIVE, token, span, Duration.ofSeconds(30), Duration.ofSeconds(9));
    }
}
