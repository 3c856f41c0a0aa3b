package io.holdfast.redlock;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.random.RandomGenerator;

/** Draws tokens to propose, per bucket, from what the clock says and what the nodes have shown. Thread-safe. */
final class Proposals {
    /** U6: a span is reserved only while the tokens are near the clock. */
    private static final long NEAR_MICROS = 100_000;

    /**
     * One proposal.
     *
     * @param token its token
     * @param span how many it reserves
     * @param attempt 64 random bits that, with the claim's holder id, are the holder id of this proposal only (U8)
     */
    record Proposal(long token, int span, String attempt) {}

    private final AtomicLongArray seen = new AtomicLongArray(KeySpace.BUCKETS);

    Proposal next(int bucket, int wantedSpan, long wallMicros, RandomGenerator random) {
        int[] span = new int[1];
        long last = seen.updateAndGet(bucket, before -> {
            long first = Math.max(before + 1, wallMicros);
            span[0] = first - wallMicros > NEAR_MICROS ? 1 : wantedSpan;
            return first + span[0] - 1;
        });
        return new Proposal(last - span[0] + 1, span[0], String.format("%016x", random.nextLong()));
    }

    /** A node has shown this fence: the next proposal is above it. */
    void saw(int bucket, long fence) {
        seen.accumulateAndGet(bucket, fence, Math::max);
    }
}
