package io.holdfast.engine;

import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Term;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store, for as long as this client has it. Leases are issued on it, one after the other: the first
 * with the grant's token, each later one, by a local hand-off, with the next of the span.
 *
 * <p>Phases: {@code ACTIVE → RELEASING | LOST}, decided under this object's monitor.
 *
 * <ul>
 *   <li>I1: a lease is issued only in ACTIVE; so nothing passes from a lost lease, nor after a release was sent (U14,
 *       U15).
 *   <li>I2: a renewal is sent only in ACTIVE, and the phase changes before a release is sent; a release that meets a
 *       renewal being sent is sent after it. So no renewal follows a release.
 *   <li>I3: the deadline only grows, and only by answers that arrive before it (U10).
 *   <li>I4: at most {@code span} leases are issued, each with its own token (U5).
 * </ul>
 *
 * <p>Lock order: a queue's monitor, then a hold's; the keeper's is taken last and never around another.
 *
 * <p>From the first renewal on the hold knows its lease weakly, so that a lease that nobody can close any more is noticed
 * at the second. Before that it holds it strongly: most leases end sooner, and a weak reference is not free.
 */
final class Hold {
    enum Phase {
        ACTIVE,
        RELEASING,
        LOST
    }

    /** It was logged that the lease is held for very long. */
    static final byte WARNED = 1;

    /** Nobody could reach the lease when it was last renewed. */
    static final byte ABANDONED = 2;

    /** By how much a span grows that was used up. A token is a microsecond, and a pass takes several. */
    private static final int GROWTH = 8;

    final NameQueue queue;
    final Claim claim;
    final Request request;
    final long grantedNanos;
    private final long firstToken;
    private final short span;

    private Phase phase = Phase.ACTIVE;
    private short issued;

    /** The lease, or a weak reference to it. */
    private @Nullable Object lease;

    private volatile long deadline;

    /** By how much the wall clock was ahead of the monotonic one when the last answered request was sent, in ns. */
    private volatile long wallLead;

    private volatile @Nullable Rare rare;

    /** {@link #WARNED}, {@link #ABANDONED}, or both. */
    private byte notices;

    private boolean sendingRenewal;

    /** What few holds have; its fields change under the hold's monitor. */
    private static final class Rare {
        volatile long maxHoldEnd = Request.FOREVER;
        volatile @Nullable String site;

        /** What the lease's holder wants to hear; kept here for when the lease is not reachable any more (U36). */
        LeaseHandle.@Nullable Tidings tidings;

        @Nullable
        Runnable afterRenewal;
    }

    // Guarded by the keeper.
    @Nullable
    Hold previous;

    @Nullable
    Hold next;

    boolean renewing;
    long nextRenewal;

    /** Renewal is failing; cleared by an answer. */
    volatile boolean failing;

    Hold(NameQueue queue, Claim claim, Request request, Granted grant, long now, long wallLead) {
        this.queue = queue;
        this.claim = claim;
        this.request = request;
        this.grantedNanos = now;
        this.firstToken = grant.token();
        this.span = (short) grant.span();
        this.deadline = deadline(claim, grant.term());
        this.wallLead = wallLead;
    }

    /** Notes it, and says whether it was noted before. */
    synchronized boolean note(byte notice) {
        boolean before = (notices & notice) != 0;
        notices |= notice;
        return before;
    }

    long ttlNanos() {
        return request.ttlNanos();
    }

    /** When the store's promise ends for the holder, whatever maxHold says. */
    static long deadline(Hold hold) {
        return hold.deadline;
    }

    /** When a grant with this term is not believed any more. */
    static long deadline(Claim claim, Term term) {
        return term.sentNanos() + term.nanos() - Env.drift(claim.ttl().toNanos());
    }

    /** The first lease of this grant. */
    synchronized LeaseHandle issue(Waiter to, long now) {
        if (phase != Phase.ACTIVE || issued >= span) {
            throw new IllegalStateException("nothing left to issue");
        }
        long longest = to.request.maxHoldNanos();
        if (longest != Request.FOREVER) {
            rare().maxHoldEnd = now + longest;
        } else if (rare != null) {
            rare.maxHoldEnd = Request.FOREVER;
        }
        if (rare != null) {
            rare.tidings = null; // of the lease before
        }
        LeaseHandle issuedLease = new LeaseHandle(this, to, firstToken + issued, now);
        issued++;
        lease = issuedLease;
        return issuedLease;
    }

    /**
     * The next lease of this grant, for another request of this client; null if it may not pass (U14). What was granted
     * before a suspend may have ended in the store since (U21), and the tick that would notice it has not run yet.
     */
    synchronized @Nullable LeaseHandle pass(Waiter to, long now, long handoffNanos) {
        boolean allowed = phase == Phase.ACTIVE
                && !failing
                && issued < span
                && issued <= Math.min(request.handoffs(), to.request.handoffs())
                && now - grantedNanos < handoffNanos
                && request.passesTo(to.request)
                && deadline - now >= ttlNanos() / 2
                && !suspended(queue.env.wallLead());
        return allowed ? issue(to, now) : null;
    }

    /**
     * How long a span should be next time: much longer than this one if every token was used, else as many as were used,
     * but not less than half of this one. A turn that ended early, by its time or because everybody was between two locks
     * for a moment, says little about the next one.
     */
    synchronized int nextSpan() {
        return issued >= span && span > 1
                ? Math.min(GROWTH * span, LockOptions.MOST_HANDOFFS + 1)
                : Math.max(issued, span / 2);
    }

    /** Where the grant was acquired, if it was recorded. */
    @Nullable
    String site() {
        Rare known = rare;
        return known == null ? null : known.site;
    }

    synchronized void rememberSite(String where) {
        rare().site = where;
    }

    /** Under the monitor. */
    private Rare rare() {
        Rare known = rare;
        if (known == null) {
            known = new Rare();
            rare = known;
        }
        return known;
    }

    /** Before a renewal is sent; false if there is nothing to renew any more. */
    synchronized boolean startRenewal() {
        sendingRenewal = phase == Phase.ACTIVE;
        return sendingRenewal;
    }

    /** The renewal is on its way: whoever waited to send a release does so now. */
    void renewalSent() {
        Runnable waiting = null;
        synchronized (this) {
            sendingRenewal = false;
            if (rare != null) {
                waiting = rare.afterRenewal;
                rare.afterRenewal = null;
            }
        }
        if (waiting != null) {
            waiting.run();
        }
    }

    synchronized boolean sendsRenewal() {
        return sendingRenewal;
    }

    /** Runs {@code send} after the renewal that is being sent; false if there is none, and the caller sends. */
    synchronized boolean afterRenewal(Runnable send) {
        if (!sendingRenewal) {
            return false;
        }
        rare().afterRenewal = send;
        return true;
    }

    /** Leaves ACTIVE for RELEASING; false if the hold was lost before. */
    synchronized boolean startRelease() {
        if (phase != Phase.ACTIVE) {
            return false;
        }
        phase = Phase.RELEASING;
        return true;
    }

    /** Leaves ACTIVE for LOST; false if a release was first. */
    synchronized boolean startLoss() {
        if (phase != Phase.ACTIVE) {
            return false;
        }
        phase = Phase.LOST;
        return true;
    }

    synchronized boolean active() {
        return phase == Phase.ACTIVE;
    }

    /** The lease on this hold, unless nobody can reach it any more. */
    synchronized @Nullable LeaseHandle lease() {
        Object known = lease instanceof WeakReference<?> weak ? weak.get() : lease;
        return (LeaseHandle) known;
    }

    /**
     * The lease on this hold, or a stand-in with its token and callbacks if the program has dropped it: the loss is told
     * whatever became of the handle (U36).
     */
    synchronized LeaseHandle leaseOrStandIn() {
        LeaseHandle known = lease();
        if (known != null) {
            return known;
        }
        // Not kept: the hold must go on looking like one whose lease is out of reach.
        return new LeaseHandle(this, firstToken + issued - 1, grantedNanos, rare == null ? null : rare.tidings);
    }

    /** Keeps what the holder of {@code of} wants to hear, unless the hold has passed to another lease. */
    synchronized void keep(LeaseHandle of, LeaseHandle.Tidings tidings) {
        if (lease() == of) {
            rare().tidings = tidings;
        }
    }

    /** Only the user keeps the lease alive from now on. */
    synchronized void weaken() {
        if (lease instanceof LeaseHandle strong) {
            lease = new WeakReference<>(strong);
        }
    }

    /** When the lease ends by the holder's clock, unless it is renewed. */
    long end() {
        Rare known = rare;
        long end = known == null ? Request.FOREVER : known.maxHoldEnd;
        return end == Request.FOREVER ? deadline : min(deadline, end);
    }

    boolean overdue(long now) {
        return now - end() >= 0;
    }

    /** An answered renewal. Ignored if it arrives after the end, or says less than is known already. */
    synchronized boolean extend(Term term, long now, long sentWallLead) {
        if (phase != Phase.ACTIVE || overdue(now)) {
            return false;
        }
        long extended = deadline(claim, term);
        if (extended - deadline > 0) {
            deadline = extended;
        }
        wallLead = sentWallLead;
        failing = false;
        return true;
    }

    /** Whether the machine seems to have been suspended since the last answered request (U21). */
    boolean suspended(long nowWallLead) {
        return nowWallLead - wallLead > Env.drift(ttlNanos());
    }

    Loss loss(long token, LossReason reason, long now) {
        String detail = switch (reason) {
            case EXPIRED ->
                request.renewal()
                        ? "no renewal was answered within its TTL of " + Text.of(claim.ttl())
                        : "its TTL of " + Text.of(claim.ttl()) + " ended and renewal is off";
            case GONE -> "the store does not know this holder any more: the lease expired there or was lost";
            case REVOKED -> "an operator revoked it";
            case MAX_HOLD -> "it was held for its maxHold of " + Text.nanos(request.maxHoldNanos());
            case CLIENT_CLOSED -> "its client was closed";
            case RESIGNED -> "it was given up";
        };
        return new Loss(
                claim.lockName(), token, reason, detail + ", " + Text.nanos(now - grantedNanos) + " after the grant");
    }

    private static long min(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
