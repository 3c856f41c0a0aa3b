package io.holdfast.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Refused;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a request that got nothing says about what was in its way (L14). */
class TextTest {
    private static final Holder HOLDER =
            new Holder("c", "host:1", Mode.EXCLUSIVE, 77, 1, Duration.ofSeconds(6), Duration.ofSeconds(6));

    @Test
    void aHolderIsNamedWithWhatIsLeftOfItsLease() {
        assertThat(obstacle(HOLDER, 6000, false, 2000))
                .isEqualTo("; held by host:1 under token 77, for another 4000 ms unless renewed");
    }

    @Test
    void aHolderWhoseLeaseMayBeOverIsNotSaidToHold() {
        assertThat(obstacle(HOLDER, 6000, false, 6500)).isEqualTo("; 6500 ms ago it was held by host:1 under token 77");
    }

    @Test
    void aLockDelayCannotBeRenewed() {
        assertThat(obstacle(null, 2269, true, 0))
                .isEqualTo("; the lock-delay of a lost lease keeps it closed for another 2269 ms");
        assertThat(obstacle(null, 2269, true, 3000)).isEmpty();
    }

    @Test
    void aClientThatStandsBackSaysWhy() {
        assertThat(Text.obstacle(Text.standsBack(30_000_000), 0))
                .isEqualTo("; other clients wait for it and have the next turn");
    }

    private static String obstacle(@Nullable Holder holder, long remaining, boolean inLockDelay, long age) {
        Refused refused = new Refused(holder, Duration.ofMillis(remaining), inLockDelay, null);
        return Text.obstacle(refused, TimeUnit.MILLISECONDS.toNanos(age));
    }
}
