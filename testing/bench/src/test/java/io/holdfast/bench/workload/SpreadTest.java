package io.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class SpreadTest {
    @Test
    void theMedianOfAnOddNumberIsTheMiddleOne() {
        assertThat(Spread.of(List.of(9.0, 1.0, 5.0))).isEqualTo(new Spread(5, 1, 9));
    }

    @Test
    void theMedianOfAnEvenNumberIsBetweenTheTwoMiddleOnes() {
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 100.0))).isEqualTo(new Spread(3, 1, 100));
    }

    @Test
    void nothingHasNoSpread() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
