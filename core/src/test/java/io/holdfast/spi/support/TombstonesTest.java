package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** L1: ended claims are remembered for their time, and for at most twice that time, however many there are. */
class TombstonesTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the clock may overflow
    private final Tombstones tombstones = new Tombstones(new Ticker() {
        @Override
        public long nanos() {
            return nanos.get();
        }

        @Override
        public long wallMicros() {
            return 0;
        }
    });

    @Test
    void aHolderIsRememberedForItsTime() {
        tombstones.add(holder(1));
        tombstones.add(holder(2));
        pass(Duration.ofSeconds(4));
        tombstones.add(holder(2)); // once more: its time begins again

        pass(Tombstones.LIFE.minusSeconds(4));
        assertThat(tombstones.contains(holder(1))).isTrue();
        pass(Duration.ofSeconds(4));
        assertThat(tombstones.contains(holder(2))).isTrue();
        pass(Tombstones.LIFE.multipliedBy(2));
        assertThat(tombstones.contains(holder(1))).isFalse();
        assertThat(tombstones.contains(holder(2))).isFalse();
    }

    @Test
    void eachIsRememberedForItsTimeAndForgottenAfterTwiceThat() {
        Duration step = Duration.ofMillis(10);
        int life = (int) Tombstones.LIFE.dividedBy(step);
        for (int i = 0; i < 10_000; i++) {
            tombstones.add(holder(i));
            if (i >= life) {
                assertThat(tombstones.contains(holder(i - life))).isTrue();
            }
            int longAgo = i - 2 * life - 3; // each of two generations ends with the step after its time
            if (longAgo >= 0) {
                assertThat(tombstones.contains(holder(longAgo))).isFalse();
            }
            pass(step);
        }
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static HolderId holder(int number) {
        return new HolderId(number, 7, 9);
    }
}
