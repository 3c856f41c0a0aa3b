package io.holdfast.memory;

/**
 * The highest token issued, per bucket of names: the room it takes does not grow with the number of names ever used,
 * and two names that share a bucket merely skip some tokens.
 *
 * <p>A token is {@code max(last + 1, now in µs)} (rule U6). A bucket that was never used, or was lost, starts 200 ms
 * ahead of the clock, and while {@code last} is more than 100 ms ahead a grant gets a single token (U6).
 */
final class TokenBuckets {
    private static final long START_AHEAD_MICROS = 200_000;
    private static final long SPAN_LEAD_MICROS = 100_000;

    private final long[] last;

    TokenBuckets(int buckets) {
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets: a power of two, but got " + buckets);
        }
        last = new long[buckets];
    }

    /** How many of {@code wanted} tokens a grant may reserve now. */
    int span(String name, int wanted, long wallMicros) {
        return base(bucket(name), wallMicros) - wallMicros > SPAN_LEAD_MICROS ? 1 : wanted;
    }

    /** Reserves {@code span} tokens and returns the first. */
    long draw(String name, int span, long wallMicros) {
        int bucket = bucket(name);
        long first = Math.max(base(bucket, wallMicros) + 1, wallMicros);
        last[bucket] = first + span - 1;
        return first;
    }

    /** The highest token issued for this name or one that shares its bucket; 0 if none was. */
    long last(String name) {
        return last[bucket(name)];
    }

    private long base(int bucket, long wallMicros) {
        return last[bucket] == 0 ? wallMicros + START_AHEAD_MICROS : last[bucket];
    }

    private int bucket(String name) {
        int hash = name.hashCode();
        return (hash ^ (hash >>> 15)) & (last.length - 1);
    }
}
