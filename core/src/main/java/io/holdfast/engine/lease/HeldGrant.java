package io.holdfast.engine.lease;

import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Term;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store, for as long as this client has it. Leases are issued on it, one after the other: the first
 * with the grant's token, each later one, by a pass between threads, with the next token of the span.
 *
 * <p>Phases: {@code ACTIVE → RELEASING | LOST}, decided under this object's monitor.
 *
 * <ul>
 *   <li>I1: a lease is issued only in ACTIVE. So nothing passes from a lost lease, nor after a release was decided (U14,
 *       U15).
 *   <li>I2: a renewal is sent only in ACTIVE, and the phase changes before a release is sent. A release that meets a
 *       renewal being sent is sent after it. So no renewal follows a release.
 *   <li>I3: the deadline only grows, and only by answers that arrive before it (U10).
 *   <li>I4: at most {@code span} leases are issued, each with its own token (U5).
 * </ul>
 *
 * <p>Lock order: the monitor of the name's queue, then that of a held grant. The keeper's monitor is taken last and no
 * other monitor is taken inside it.
 *
 * <p>From the first renewal on the grant refers to its lease weakly, so that the second renewal notices a lease that the
 * program cannot reach any more. Before that the reference is strong: most leases end sooner, and a weak reference costs
 * memory.
 */
public final class HeldGrant {
    enum Phase {
        ACTIVE,
        RELEASING,
        LOST
    }

    /** It was logged that the lease is held for very long. */
    static final byte WARNED = 1;

    /** The program could not reach the lease when it was last due for renewal. */
    static final byte ABANDONED = 2;

    /** By how much a span grows that was used up. A token is a microsecond, and a pass takes several. */
    private static final int GROWTH = 8;

    private final GrantOwner owner;
    private final Claim claim;
    private final Request request;
    final long grantedNanos;
    private final long firstToken;
    private final short span;
    private final boolean provisional;

    /** Changed under this object's monitor, read without it by the keeper. */
    private volatile Phase phase = Phase.ACTIVE;

    private short issued;

    /** The lease, or a weak reference to it. */
    private @Nullable Object lease;

    private volatile long deadline;

    /** By how much the wall clock was ahead of the monotonic one when the last answered request was sent, in ns. */
    private volatile long wallLead;

    private volatile @Nullable Extras extras;

    /** {@link #WARNED}, {@link #ABANDONED}, or both. */
    private byte notices;

    private boolean sendingRenewal;

    /** What few grants have. Its fields change under the grant's monitor. */
    private static final class Extras {
        volatile long maxHoldEnd = Request.FOREVER;
        volatile @Nullable String site;

        /** The callbacks of the lease, kept for when the program cannot reach the lease any more (U36). */
        @Nullable
        LossListeners listeners;

        @Nullable
        Runnable afterRenewal;
    }

    // Guarded by the keeper.
    @Nullable
    HeldGrant previous;

    @Nullable
    HeldGrant next;

    boolean renewing;
    long nextRenewal;

    /** Renewal is failing; cleared by an answer. */
    volatile boolean failing;

    public HeldGrant(GrantOwner owner, Claim claim, Request request, Granted grant, long now, long wallLead) {
        this.owner = owner;
        this.claim = claim;
        this.request = request;
        this.grantedNanos = now;
        this.firstToken = grant.token();
        this.span = (short) grant.span();
        this.provisional = grant.provisional();
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

    public Claim claim() {
        return claim;
    }

    public Request request() {
        return request;
    }

    /** Whether the first renewal, sent at once, makes it a full lease (L3). */
    boolean provisional() {
        return provisional;
    }

    long firstToken() {
        return firstToken;
    }

    /** The release of this grant was answered, or the store did not answer it: the owner goes on. */
    public void released() {
        owner.released(this);
    }

    GrantOwner owner() {
        return owner;
    }

    LeaseKeeper keeper() {
        return owner.keeper();
    }

    /** When the grant ends at the client unless it is renewed, whatever maxHold says. */
    long deadline() {
        return deadline;
    }

    /** When a grant with this term ends at the client. */
    public static long deadline(Claim claim, Term term) {
        return term.sentNanos() + term.nanos() - ClientTime.drift(claim.ttl().toNanos());
    }

    /** The first lease of this grant. */
    public synchronized LeaseHandle issue(Object holder, Request to, long now) {
        if (phase != Phase.ACTIVE || issued >= span) {
            throw new IllegalStateException("nothing left to issue");
        }
        long longest = to.maxHoldNanos();
        if (longest != Request.FOREVER) {
            extras().maxHoldEnd = now + longest;
        } else if (extras != null) {
            extras.maxHoldEnd = Request.FOREVER;
        }
        if (extras != null) {
            extras.listeners = null; // of the lease before
        }
        LeaseHandle issuedLease = new LeaseHandle(this, holder, to, firstToken + issued, now);
        issued++;
        lease = issuedLease;
        return issuedLease;
    }

    /**
     * The next lease of this grant, for another request of this client; null if the grant may not pass (U14). A grant from
     * before a suspend may have ended in the store since (U21), and the tick that would notice it has not run yet:
     * {@code wallLead} tells.
     */
    public synchronized @Nullable LeaseHandle pass(
            Object holder, Request to, long now, long wallLead, long handoffNanos) {
        boolean allowed = phase == Phase.ACTIVE
                && !failing
                && issued < span
                && issued <= Math.min(request.handoffs(), to.handoffs())
                && now - grantedNanos < handoffNanos
                && request.passesTo(to)
                && deadline - now >= ttlNanos() / 2
                && !suspended(wallLead);
        return allowed ? issue(holder, to, now) : null;
    }

    /**
     * How long a span should be next time: much longer than this one if every token was used, else as many as were used,
     * but not less than half of this one. A turn that ended early, by its time or because every thread was between two
     * locks for a moment, says little about the next one.
     */
    public synchronized int nextSpan() {
        return issued >= span && span > 1
                ? Math.min(GROWTH * span, LockOptions.MOST_HANDOFFS + 1)
                : Math.max(issued, span / 2);
    }

    /** Where the grant was acquired, if it was recorded. */
    @Nullable
    String site() {
        Extras known = extras;
        return known == null ? null : known.site;
    }

    public synchronized void rememberSite(String where) {
        extras().site = where;
    }

    /** Under the monitor. */
    private Extras extras() {
        Extras known = extras;
        if (known == null) {
            known = new Extras();
            extras = known;
        }
        return known;
    }

    /** Before a renewal is sent; false if there is nothing to renew any more. */
    synchronized boolean startRenewal() {
        sendingRenewal = phase == Phase.ACTIVE;
        return sendingRenewal;
    }

    /** The renewal is on its way. A release that waited for it is sent now. */
    void renewalSent() {
        Runnable waiting = null;
        synchronized (this) {
            sendingRenewal = false;
            if (extras != null) {
                waiting = extras.afterRenewal;
                extras.afterRenewal = null;
            }
        }
        if (waiting != null) {
            waiting.run();
        }
    }

    public synchronized boolean sendsRenewal() {
        return sendingRenewal;
    }

    /** Runs {@code send} after the renewal that is being sent; false if there is none, and the caller sends. */
    public synchronized boolean afterRenewal(Runnable send) {
        if (!sendingRenewal) {
            return false;
        }
        extras().afterRenewal = send;
        return true;
    }

    /** Leaves ACTIVE for RELEASING; false if the grant was lost before. */
    public synchronized boolean startRelease() {
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

    /** Whether it is neither lost nor being released. Needs no monitor. */
    public boolean active() {
        return phase == Phase.ACTIVE;
    }

    /** The lease on this grant, unless the program cannot reach it any more. */
    public synchronized @Nullable LeaseHandle lease() {
        Object known = lease instanceof WeakReference<?> weak ? weak.get() : lease;
        return (LeaseHandle) known;
    }

    /**
     * The lease on this grant, or a stand-in with its token and callbacks if the program has dropped it: the loss is told
     * whatever became of the handle (U36).
     */
    synchronized LeaseHandle leaseOrStandIn() {
        LeaseHandle known = lease();
        if (known != null) {
            return known;
        }
        // Not kept: the grant must go on looking like one whose lease is out of reach.
        return new LeaseHandle(this, firstToken + issued - 1, grantedNanos, extras == null ? null : extras.listeners);
    }

    /** Keeps the callbacks of the lease {@code of}, unless the grant has passed to another lease. */
    synchronized void keep(LeaseHandle of, LossListeners listeners) {
        if (lease() == of) {
            extras().listeners = listeners;
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
        Extras known = extras;
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
        return nowWallLead - wallLead > ClientTime.drift(ttlNanos());
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
