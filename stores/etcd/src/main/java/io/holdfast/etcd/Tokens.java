package io.holdfast.etcd;

import io.holdfast.LockOptions;

/**
 * Tokens from create revisions: etcd counts revisions for the whole cluster and never backwards, so a later key has a
 * larger one. Shifted by 8 bits, a revision is 256 tokens: one for the grant and 255 for passes (U5).
 *
 * @param base what is added, for a cluster that was restored from an old snapshot
 */
record Tokens(long base) {
    private static final int SHIFT = 8;

    /** Refuses a base that would eat the room of the revisions. */
    Tokens {
        if (base < 0 || base > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("option tokenBase: 0 to " + Long.MAX_VALUE / 2 + ", but got " + base);
        }
    }

    /** The first token of a claim that was created at this revision. */
    long first(long createRevision) {
        return Math.addExact(Math.multiplyExact(createRevision, LockOptions.MOST_HANDOFFS + 1L), base);
    }

    static {
        if (LockOptions.MOST_HANDOFFS + 1 != 1 << SHIFT) {
            throw new IllegalStateException("a span is 256 tokens");
        }
    }
}
