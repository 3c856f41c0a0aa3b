package io.holdfast.bench.question;

import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.List;

/** A {@link Question} whose answer is a curve that should be flat. */
public interface GrowthQuestion extends Question {
    /** What is to be flat. */
    String cost();

    /** The sizes at which it is measured. */
    List<Integer> sizes(boolean quick);

    /** For each size. The warm-up is long enough for the smallest, which comes first, not to look dear. */
    @Override
    default Run fullRun() {
        return new Run(Duration.ofSeconds(1), Duration.ofSeconds(2), false);
    }

    @Override
    default Run quickRun() {
        return new Run(Duration.ofMillis(200), Duration.ofMillis(500), true);
    }
}
