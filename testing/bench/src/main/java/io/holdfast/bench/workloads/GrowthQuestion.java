package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.List;

/** A {@link Question} whose answer is a curve that should be flat. */
interface GrowthQuestion extends Question {
    /** What is to be flat. */
    String cost();

    /** The sizes at which it is measured. */
    List<Integer> sizes(boolean quick);

    @Override
    default List<Bar> bars(StoreUnderTest store) {
        return List.of(Growth.flat(HoldfastEntrant.DEFAULT.title(), cost()));
    }

    /** For each size. The warm-up is long enough for the smallest, which comes first, not to look dear. */
    @Override
    default Run fullRun() {
        return new Run(Duration.ofSeconds(1), Duration.ofSeconds(2), false);
    }

    @Override
    default Run quickRun() {
        return new Run(Duration.ofMillis(200), Duration.ofMillis(500), true);
    }

    /** The largest size takes its time to come and to go. */
    @Override
    default Duration expected(Run run) {
        return run.warmUp()
                .plus(run.measure())
                .multipliedBy(sizes(run.quick()).size())
                .plusSeconds(4);
    }
}
