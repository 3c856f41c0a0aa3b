package io.holdfast.cli.supervise;

import java.time.Duration;

/**
 * When a command is stopped, counted from the end of its lease: TERM at {@code grace + margin} before it, KILL at
 * {@code margin} before it. The margin is what a KILL may take to have killed.
 *
 * @param warning how long before the end of the lease people are warned
 * @param grace how long the command has between TERM and KILL
 * @param margin how long before the end of the lease it is killed
 */
public record StopTimes(Duration warning, Duration grace, Duration margin) {
    /** The shortest TTL that leaves time for all this. */
    public static final Duration SHORTEST_TTL = Duration.ofSeconds(1);

    private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(1);

    /**
     * The usual times for a TTL: a sixth of it for the grace, at most 10 s; a tenth for the margin, at most 1 s. As a
     * renewal is sent after a third of the TTL, a lease with less than half of it left is in jeopardy.
     */
    public static StopTimes of(Duration ttl) {
        return new StopTimes(
                ttl.dividedBy(2), shorter(ttl.dividedBy(6), LONGEST_GRACE), shorter(ttl.dividedBy(10), LONGEST_MARGIN));
    }

    /** The longest grace for a TTL: with more, one late renewal would stop the command. */
    public static Duration longestGrace(Duration ttl) {
        return ttl.dividedBy(3);
    }

    /** With another grace. */
    public StopTimes withGrace(Duration value) {
        return new StopTimes(warning, value, margin);
    }

    /** How long until people are warned, if the lease is valid for {@code remaining}. */
    public Duration untilWarning(Duration remaining) {
        return notNegative(remaining.minus(warning));
    }

    /** How long until TERM, if the lease is valid for {@code remaining}. */
    public Duration untilTerm(Duration remaining) {
        return notNegative(remaining.minus(margin).minus(grace));
    }

    /** How long until KILL, if the lease is valid for {@code remaining}. */
    public Duration untilKill(Duration remaining) {
        return notNegative(remaining.minus(margin));
    }

    private static Duration notNegative(Duration value) {
        return value.isNegative() ? Duration.ZERO : value;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
