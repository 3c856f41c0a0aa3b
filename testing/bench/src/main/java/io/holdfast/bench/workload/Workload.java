package io.holdfast.bench.workload;

import java.time.Duration;
import java.util.List;

/**
 * A question that is answered by measuring contestants side by side. Found by {@link java.util.ServiceLoader}; a new one
 * is a small class and a line in {@code META-INF/services}.
 */
public interface Workload {
    /** Its id for {@code --only}: lower case and hyphens. */
    String id();

    /** What is measured, in one line. */
    String question();

    /** The contestants. Names are unique. */
    List<Contestant> contestants();

    /**
     * Whether a larger number is the better one. By default its unit says so: work done per second is better the more it
     * is; times, sizes, calls and commands the less.
     */
    default boolean moreIsBetter(String metric) {
        return metric.endsWith("/s") && !metric.matches(".*\\b(calls|commands|statements|packets|bytes)/s");
    }

    /** For how long each contestant warms up and measures in each round. */
    default Run fullRun() {
        return new Run(Duration.ofSeconds(3), Duration.ofSeconds(5), false);
    }

    /** The same for {@code --quick}, which only shows that the tool works. */
    default Run quickRun() {
        return new Run(Duration.ofMillis(300), Duration.ofSeconds(1), true);
    }
}
