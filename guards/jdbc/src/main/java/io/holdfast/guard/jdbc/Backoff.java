package io.holdfast.guard.jdbc;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to stay away after a lost round: a random time below a bound that doubles with every round. It is random from
 * zero on, because clients that collided would otherwise come back together.
 *
 * @param first the bound after the first round
 * @param longest the highest bound
 */
record Backoff(Duration first, Duration longest) {
    private static final Duration MOST = Duration.ofMinutes(1);

    Backoff {
        if (first.isNegative() || longest.compareTo(first) < 0 || longest.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("pauses from " + first + " to " + longest
                    + ": the first is at most the longest, and that at most a minute");
        }
    }

    /** The pause after {@code lost} rounds, in nanoseconds. */
    long draw(int lost, RandomGenerator random) {
        int doublings = Math.min(lost - 1, 20);
        long bound = Math.min(longest.toNanos(), first.toNanos() << doublings);
        return bound == 0 ? 0 : random.nextLong(bound);
    }
}
