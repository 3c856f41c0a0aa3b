package io.holdfast.etcd.line;

import io.holdfast.LockOptions;

/**
 * Fencing tokens from create revisions. etcd has one revision counter for the whole cluster, which never decreases, so
 * a key that is created later has a larger create revision. A revision stands for 256 tokens: one for the grant and 255
 * for hand-offs inside the client (U5).
 *
 * @param base added to every token, for a cluster that was restored from an old snapshot
 */
public record Tokens(long base) {
    /** Refuses a base that leaves too few tokens for revisions. */
    public Tokens {
        if (base < 0 || base > Long.MAX_VALUE / 2) {
            throw new IllegalArgumentException("option tokenBase: 0 to " + Long.MAX_VALUE / 2 + ", but got " + base);
        }
    }

    /** The first token of a claim whose key was created at this revision. */
    public long first(long createRevision) {
        return Math.addExact(Math.multiplyExact(createRevision, LockOptions.MOST_HANDOFFS + 1L), base);
    }
}
