package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** L1: ended claims are remembered for their time, and for at most twice that time, however many there are. */
class TombstonesTest {
    private final ManualTicker ticker = new ManualTicker();
    private final Tombstones tombstones = new Tombstones(ticker);

    @Test
    void anIdIsRememberedForTenSecondsAndForgottenAfterTwenty() {
        HolderId early = id(1);
        HolderId late = id(2);
        tombstones.add(early);
        ticker.advance(Duration.ofMillis(9_999));
        tombstones.add(late);

        assertThat(tombstones.contains(early)).isTrue();

        ticker.advance(Duration.ofMillis(9_999));
        assertThat(tombstones.contains(late)).isTrue();

        ticker.advance(Duration.ofMillis(10_003));
        assertThat(tombstones.contains(early)).isFalse();
        assertThat(tombstones.contains(late)).isFalse();
    }

    @Test
    void afterALongPauseNothingOldIsLeft() {
        tombstones.add(id(1));
        ticker.advance(Duration.ofMinutes(1));

        assertThat(tombstones.contains(id(1))).isFalse();
    }

    @Test
    void anIdThatWasNeverAddedIsUnknown() {
        tombstones.add(id(1));

        assertThat(tombstones.contains(id(2))).isFalse();
    }

    @Test
    void anIdThatIsAddedAgainIsRememberedForItsTimeFromThenOn() {
        tombstones.add(id(1));
        ticker.advance(Duration.ofSeconds(4));
        tombstones.add(id(1));

        ticker.advance(Tombstones.LIFE);
        assertThat(tombstones.contains(id(1))).isTrue();
    }

    @Test
    void eachOfManyIsRememberedForItsTimeAndForgottenAfterTwiceThat() {
        Duration step = Duration.ofMillis(10);
        int life = (int) Tombstones.LIFE.dividedBy(step);
        for (int i = 0; i < 10_000; i++) {
            tombstones.add(id(i));
            if (i >= life) {
                assertThat(tombstones.contains(id(i - life))).isTrue();
            }
            int longAgo = i - 2 * life - 3; // each of two generations ends with the step after its time
            if (longAgo >= 0) {
                assertThat(tombstones.contains(id(longAgo))).isFalse();
            }
            ticker.advance(step);
        }
    }

    private static HolderId id(int number) {
        return new HolderId(number, 0, 0);
    }

    private static final class ManualTicker implements Ticker {
        private long nanos = Long.MAX_VALUE - Duration.ofSeconds(12).toNanos(); // the clock may overflow

        void advance(Duration by) {
            nanos += by.toNanos();
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long wallMicros() {
            return 0;
        }
    }
}
