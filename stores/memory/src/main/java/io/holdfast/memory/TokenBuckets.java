package io.holdfast.memory;

import io.holdfast.spi.support.TokenRule;

/**
 * The highest token issued, per bucket of names. The room it takes does not grow with the number of names ever used; two
 * names that share a bucket skip some tokens. Tokens are drawn by {@link TokenRule}.
 */
final class TokenBuckets {
    private final long[] last;

    TokenBuckets(int buckets) {
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets: a power of two, but got " + buckets);
        }
        last = new long[buckets];
    }

    /** How many of {@code wanted} tokens a grant may reserve now. */
    int span(String name, int wanted, long wallMicros) {
        return TokenRule.span(base(bucket(name), wallMicros), wanted, wallMicros);
    }

    /** Reserves {@code span} tokens and returns the first. */
    long draw(String name, int span, long wallMicros) {
        int bucket = bucket(name);
        long first = TokenRule.first(base(bucket, wallMicros), wallMicros);
        last[bucket] = first + span - 1;
        return first;
    }

    /** The highest token issued for this name or one that shares its bucket; 0 if none was. */
    long last(String name) {
        return last[bucket(name)];
    }

    private long base(int bucket, long wallMicros) {
        return TokenRule.base(last[bucket], wallMicros);
    }

    private int bucket(String name) {
        int hash = name.hashCode();
        return (hash ^ (hash >>> 15)) & (last.length - 1);
    }
}
