package io.holdfast.zookeeper.lease;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Term;

/** A grant and the end of its TTL, which renewals move. Guarded by the monitor of its claim. */
public final class HeldLease {
    private final Granted grant;
    private final long ttl;
    private long ends;

    private HeldLease(Granted grant, long ttl, long begin) {
        this.grant = grant;
        this.ttl = ttl;
        this.ends = begin + ttl;
    }

    /**
     * A lease that begins at {@code begin}: the sending of its request, or, for a waiting claim, the event that granted it.
     *
     * @param sessionDeadline until when the session is certainly alive; the lease is no longer than that
     */
    public static HeldLease begin(Claim claim, long token, long begin, long sessionDeadline) {
        long ttl = claim.ttl().toNanos();
        Term term = new Term(begin, Math.min(ttl, sessionDeadline - begin));
        return new HeldLease(new Granted(token, claim.span(), term), ttl, begin);
    }

    /** The grant as it was made. */
    public Granted grant() {
        return grant;
    }

    /** The grant with the time that is left of it, for a repeated request. */
    public Granted remaining(long now, long sessionDeadline) {
        long left = Math.min(ends, sessionDeadline) - now;
        return new Granted(grant.token(), grant.span(), new Term(now, Math.max(1, left)));
    }

    /** When the TTL is over. */
    public long ends() {
        return ends;
    }

    /** Whether the TTL is over at this time. */
    public boolean isOverAt(long time) {
        return time - ends >= 0;
    }

    /** A renewal that was sent at {@code begin} was confirmed; an older one than the last changes nothing. */
    public void extend(long begin) {
        long longer = begin + ttl;
        if (longer - ends > 0) {
            ends = longer;
        }
    }
}
