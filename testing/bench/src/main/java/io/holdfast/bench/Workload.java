package io.holdfast.bench;

import java.time.Duration;
import java.util.List;

/**
 * A question that is answered by measuring contestants side by side. Found by {@link java.util.ServiceLoader}; a new one
 * is a small class and a line in {@code META-INF/services}.
 */
public interface Workload {
    /** Its id for {@code --only}: lower case and hyphens. */
    String id();

    /** What is measured, in one line for people. */
    String question();

    /** Who takes part. Names are unique. */
    List<Contestant> contestants();

    /** The name of the contestant with which the others are compared, or empty if there is nothing to compare with. */
    String baseline();

    /** What is to be reached. */
    List<Bar> bars();

    /**
     * Whether a larger number is the better one. By default what a bar on this metric says, else what its unit says:
     * work done per second is better the more it is; times, sizes and the load that calls and commands are, the less.
     */
    default boolean moreIsBetter(String metric) {
        for (Bar bar : bars()) {
            if (bar.metric().equals(metric)) {
                return bar.relation() == Bar.Relation.AT_LEAST;
            }
        }
        return metric.endsWith("/s") && !metric.matches(".*\\b(calls|commands|statements|packets|bytes)/s");
    }

    /** For how long each contestant warms up and measures in each round. */
    default Run fullRun() {
        return new Run(Duration.ofSeconds(3), Duration.ofSeconds(5), false);
    }

    /** How long one measurement takes about, with what comes before and after it; for the estimate only. */
    default Duration expected(Run run) {
        return run.warmUp().plus(run.measure()).plusSeconds(1);
    }

    /** How many rounds are measured if so many are wanted: fewer where one takes long and no bar hangs on it. */
    default int rounds(int wanted) {
        return wanted;
    }

    /** The same for {@code --quick}, which shows that the tool works and decides nothing. */
    default Run quickRun() {
        return new Run(Duration.ofMillis(300), Duration.ofSeconds(1), true);
    }
}
