package io.holdfast;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class LockOptionsTest {
    private static final Map<String, Function<Duration, LockOptions>> DURATIONS = Map.of(
            "wait", LockOptions::waitUpTo,
            "ttl", value -> LockOptions.defaults().ttl(value),
            "lockDelay", value -> LockOptions.defaults().lockDelay(value),
            "maxHold", value -> LockOptions.defaults().maxHold(value));

    @Test
    void negativeDurationsAreRefusedByName() {
        DURATIONS.forEach((what, setter) -> assertThatThrownBy(() -> setter.apply(Duration.ofSeconds(-5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(what + ": ")
                .hasMessageContaining("365 days")
                .hasMessageEndingWith("but got PT-5S"));
    }

    @Test
    void absurdDurationsAreRefusedByNameAndTheLongestIsNot() {
        Duration[] absurd = {
            LockOptions.LONGEST.plusNanos(1),
            Duration.ofDays(36_500),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
            Duration.ofSeconds(Long.MIN_VALUE)
        };
        DURATIONS.forEach((what, setter) -> {
            for (Duration value : absurd) {
                assertThatThrownBy(() -> setter.apply(value))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith(what + ": ")
                        .hasMessageEndingWith("but got " + value);
            }
            assertThat(setter.apply(LockOptions.LONGEST)).isNotNull();
        });
    }

    @Test
    void zeroIsAWaitAndALockDelayButNeitherATtlNorAHold() {
        assertThat(waitUpTo(Duration.ZERO).waitFor()).contains(Duration.ZERO);
        assertThat(LockOptions.defaults().lockDelay(Duration.ZERO).lockDelay()).contains(Duration.ZERO);
        assertThatThrownBy(() -> LockOptions.defaults().ttl(Duration.ZERO))
                .hasMessage("ttl: more than zero and at most 365 days, but got PT0S");
        assertThatThrownBy(() -> LockOptions.defaults().maxHold(Duration.ZERO))
                .hasMessage("maxHold: more than zero and at most 365 days, but got PT0S");
    }

    @Test
    void handoffsHaveBounds() {
        assertThat(LockOptions.defaults().handoffs(0).handoffs()).contains(0);
        assertThat(LockOptions.defaults().handoffs(255).handoffs()).contains(255);
        for (int wrong : new int[] {-1, 256, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> LockOptions.defaults().handoffs(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("handoffs: 0 to 255, but got " + wrong);
        }
    }

    @Test
    void labelsHaveALengthAndNoControlCharacters() {
        assertThat(LockOptions.defaults().label("").label()).contains("");
        assertThat(LockOptions.defaults().label("l".repeat(256)).label()).isPresent();
        assertThatThrownBy(() -> LockOptions.defaults().label("l".repeat(257))).hasMessageContaining("257 characters");
        assertThatThrownBy(() -> LockOptions.defaults().label("a\u001b[31mb"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no control characters")
                .message()
                .doesNotContain("\u001b");
    }

    @Test
    void everyMethodReturnsACopyAndChangesNothingElse() {
        LockOptions before = waitUpTo(Duration.ofSeconds(2));
        LockOptions after = before.ttl(Duration.ofMinutes(2))
                .lockDelay(Duration.ofSeconds(60))
                .noRenewal()
                .maxHold(Duration.ofHours(1))
                .label("import")
                .interruptOnLoss()
                .handoffs(7);

        assertThat(before.ttl()).isEmpty();
        assertThat(before.renewal()).isEmpty();
        assertThat(after.waitFor()).contains(Duration.ofSeconds(2));
        assertThat(after.ttl()).contains(Duration.ofMinutes(2));
        assertThat(after.lockDelay()).contains(Duration.ofSeconds(60));
        assertThat(after.renewal()).contains(false);
        assertThat(after.maxHold()).contains(Duration.ofHours(1));
        assertThat(after.label()).contains("import");
        assertThat(after.interruptsOnLoss()).contains(true);
        assertThat(after.handoffs()).contains(7);
        assertThat(LockOptions.defaults().ttl()).isEmpty();
    }

    @Test
    void aTtlDoesNotSwitchRenewalOff() {
        assertThat(LockOptions.defaults().ttl(Duration.ofSeconds(5)).renewal()).isEmpty();
    }

    @Test
    void whatARequestSaysWinsOverTheDefaultsOfTheClient() {
        LockOptions defaults = waitUpTo(Duration.ofSeconds(10))
                .ttl(Duration.ofSeconds(30))
                .label("client")
                .handoffs(255);

        LockOptions merged = waitUpTo(Duration.ZERO).handoffs(0).orElse(defaults);

        assertThat(merged.waitFor()).contains(Duration.ZERO);
        assertThat(merged.handoffs()).contains(0);
        assertThat(merged.ttl()).contains(Duration.ofSeconds(30));
        assertThat(merged.label()).contains("client");
        assertThat(merged.lockDelay()).isEmpty();
        assertThat(LockOptions.defaults().orElse(defaults)).isSameAs(defaults);
    }
}
