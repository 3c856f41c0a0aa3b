package io.holdfast.engine.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a request pauses before it asks again: {@code fixed}, plus a random pause (S) that is drawn by the performer
 * and doubled {@code doublings} times, but at most {@code ceiling} and at least {@code atLeast}.
 */
record PauseLength(long fixed, boolean drawn, int doublings, long ceiling, long atLeast) {
    /** How long a watched name is not asked about without a hint. */
    private static final long WATCHED = 1_000_000_000;

    private static final long LONGEST_AFTER_FAILURE = 1_000_000_000;

    private static final PauseLength RANDOM = new PauseLength(0, true, 0, Long.MAX_VALUE, 0);

    /** One random pause. */
    static PauseLength random() {
        return RANDOM;
    }

    static PauseLength exactly(long nanos) {
        return new PauseLength(nanos, false, 0, Long.MAX_VALUE, 0);
    }

    /** After the store has failed {@code failures} times before in a row. */
    static PauseLength afterFailure(int failures) {
        return new PauseLength(0, true, failures, LONGEST_AFTER_FAILURE, 0);
    }

    /** After a refusal by a store without a queue and without hints. */
    static PauseLength afterRefusal(@Nullable Duration retryAfter) {
        return retryAfter == null ? RANDOM : new PauseLength(0, true, 0, Long.MAX_VALUE, retryAfter.toNanos());
    }

    /** After a refusal by a store that gives hints: until the obstacle has ended by itself. */
    static PauseLength untilHint(@Nullable Duration remaining, @Nullable Duration retryAfter) {
        long atLeast = retryAfter == null ? 0 : retryAfter.toNanos();
        return remaining == null
                ? new PauseLength(WATCHED, false, 0, WATCHED, atLeast)
                : new PauseLength(remaining.toNanos(), true, 0, WATCHED, atLeast);
    }

    long nanos(long draw) {
        long pause = drawn ? fixed + (draw << doublings) : fixed;
        return Math.max(Math.min(pause, ceiling), atLeast);
    }
}
