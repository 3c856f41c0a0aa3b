package io.holdfast.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** L1: ended claims are remembered for their time, and no longer, however many there are. */
@Tag("quick")
class BuriedHoldersTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the clock may overflow
    private final BuriedHolders buried = new BuriedHolders(new Ticker() {
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
        buried.add(holder(1));
        buried.add(holder(2));
        pass(Duration.ofSeconds(4));
        buried.add(holder(2)); // once more: its time begins again

        pass(Tombstone.LIFE.minusSeconds(4).minusNanos(1));
        assertThat(buried.contains(holder(1))).isTrue();
        pass(Duration.ofNanos(1));
        assertThat(buried.contains(holder(1))).isFalse();
        assertThat(buried.contains(holder(2))).isTrue();
        pass(Duration.ofSeconds(4));
        assertThat(buried.contains(holder(2))).isFalse();
        assertThat(buried.size()).isZero();
    }

    @Test
    void thoseWhoseTimeIsOverLeaveNothing() {
        for (int i = 0; i < 10_000; i++) {
            buried.add(holder(i));
            pass(Duration.ofMillis(10));
        }
        assertThat(buried.size()).isEqualTo((int) (Tombstone.LIFE.toMillis() / 10));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static HolderId holder(int number) {
        return new HolderId(number, 7, 9);
    }
}
