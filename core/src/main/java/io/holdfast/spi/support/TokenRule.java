package io.holdfast.spi.support;

/**
 * The rule for hybrid fencing tokens (U6), for stores that draw them from a counter and a clock.
 *
 * <p>A grant reserves {@code span} consecutive tokens. The first is {@code max(last + 1, now in µs)}, so tokens rise
 * while the store keeps {@code last}, whatever its clock does, and go on rising after {@code last} was lost, as long as
 * the clock does. Stores that decide in SQL or Lua use the constants; the rule is the same.
 */
public final class TokenRule {
    /** A counter that was never used, or was lost, begins this far ahead of the clock. */
    public static final long START_AHEAD_MICROS = 200_000;

    /** While the last token is further ahead of the clock than this, a grant reserves a single token. */
    public static final long SPAN_LEAD_MICROS = 100_000;

    private TokenRule() {}

    /** The last token to count from: {@code last}, or a start ahead of the clock if there is none (0). */
    public static long base(long last, long wallMicros) {
        return last == 0 ? wallMicros + START_AHEAD_MICROS : last;
    }

    /** The first token of a grant, given the {@link #base}. */
    public static long first(long base, long wallMicros) {
        return Math.max(base + 1, wallMicros);
    }

    /** How many of {@code wanted} tokens a grant may reserve, given the {@link #base}. */
    public static int span(long base, int wanted, long wallMicros) {
        return base - wallMicros > SPAN_LEAD_MICROS ? 1 : wanted;
    }
}
