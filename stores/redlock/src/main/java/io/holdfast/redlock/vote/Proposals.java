package io.holdfast.redlock.vote;

import io.holdfast.spi.support.NameBuckets;
import io.holdfast.spi.support.TokenRule;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.random.RandomGenerator;

/** Draws tokens to propose (U6), per bucket, from the clock and from the fences that the nodes have shown. Thread-safe. */
public final class Proposals {
    /**
     * One proposal.
     *
     * @param token its token
     * @param span how many it reserves
     * @param attempt 64 random bits that, with the claim's holder id, are the holder id of this proposal only (U8)
     */
    public record Proposal(long token, int span, String attempt) {}

    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");

    /** After so long the clock is believed again: it, or those of the nodes, may have been set meanwhile. */
    private static final long DISTRUST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLongArray seen = new AtomicLongArray(NameBuckets.COUNT);
    private volatile boolean clockRefused;
    private volatile long refusedAt;

    /** A proposal, drawn at this time of the wall clock and of the monotonic one. */
    public Proposal next(int bucket, int wantedSpan, long wallMicros, long nanos, RandomGenerator random) {
        if (clockRefused && nanos - refusedAt >= DISTRUST_NANOS) {
            clockRefused = false;
        }
        boolean counting = clockRefused;
        int[] span = new int[1];
        long last = seen.updateAndGet(bucket, before -> {
            long first = counting ? before + 1 : Math.max(before + 1, wallMicros);
            span[0] = first - wallMicros > TokenRule.SPAN_LEAD_MICROS ? 1 : wantedSpan;
            return first + span[0] - 1;
        });
        return new Proposal(last - span[0] + 1, span[0], HexFormat.of().toHexDigits(random.nextLong()));
    }

    /** The nodes refuse this client's clock (U27): it counts on from the fence they have shown, and says so. */
    public void tooFarAhead(int bucket, long fence, long nanos) {
        refusedAt = nanos;
        if (!clockRefused) {
            clockRefused = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "this machine's clock is more than an hour ahead of the nodes', or theirs are behind: set it;"
                            + " tokens are counted on from the nodes' fences meanwhile");
        }
        seen.set(bucket, fence);
    }

    /**
     * At or above every token that this client has proposed for the bucket and that may still be under way: what was
     * refused a minute ago is not (tombstones, which are for the same case, last 10 s).
     */
    long highest(int bucket) {
        // After tooFarAhead the count goes on below what was proposed before.
        return clockRefused ? Long.MAX_VALUE : seen.get(bucket);
    }

    /** A node has shown this fence: the next proposal is above it. */
    public void saw(int bucket, long fence) {
        seen.accumulateAndGet(bucket, fence, Math::max);
    }
}
