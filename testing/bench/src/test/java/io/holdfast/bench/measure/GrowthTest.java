package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class GrowthTest {
    @Test
    void theGrowthIsTheHighestCostOverTheFirst() {
        Growth growth = new Growth("µs/pair");
        growth.add(100, 30);
        growth.add(1, 10);
        growth.add(1000, 20);
        assertThat(growth.measurement().values())
                .containsEntry("µs/pair @ 1", 10.0)
                .containsEntry("µs/pair @ 100", 30.0)
                .containsEntry("µs/pair @ 1000", 20.0)
                .containsEntry("growth of µs/pair", 3.0);
    }

    @Test
    void becomingCheaperIsFlat() {
        Growth growth = new Growth("µs/pair");
        growth.add(1, 10);
        growth.add(100, 4);
        assertThat(growth.measurement().values()).containsEntry("growth of µs/pair", 1.0);
    }
}
