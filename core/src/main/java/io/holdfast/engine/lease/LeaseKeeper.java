package io.holdfast.engine.lease;

import io.holdfast.LossReason;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.runtime.Callbacks;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.Events;
import io.holdfast.engine.runtime.Log;
import io.holdfast.engine.runtime.StoreCalls;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the grants of one client alive and says when one has ended.
 *
 * <p>One timer per client. A tick looks at every grant: those whose end has come are lost, and those due for renewal, or
 * almost due, go into <em>one</em> call of the store. A lease is renewed at a third of its TTL ± 10 %; a failed renewal
 * is repeated until the local deadline. Ends are kept to the instant; renewals are rounded to a sixtieth of the
 * shortest TTL, so that ten thousand leases make a handful of calls.
 *
 * <ul>
 *   <li>I1: only active grants are in the list, and only grants in the list are renewed. A grant leaves ACTIVE before it
 *       leaves the list, and one that has left ACTIVE is not added: the thread that was granted it may add it after the
 *       thread that releases it removed it. After LOST nothing is sent (L11).
 *   <li>I2: at most one renewal of a grant is under way.
 *   <li>I3: the timer is never later than the earliest end or due renewal of any grant in the list.
 * </ul>
 *
 * <p>The monitor of this object is a leaf: nothing is called while it is held, except the scheduler. The list is linked
 * through the grants themselves, so that an uncontended acquire and release allocates and schedules nothing here.
 */
public final class LeaseKeeper implements StoreSignals {
    private static final long SHORTEST_GAP = 1_000_000;
    private static final int WARN_AFTER_TTLS = 10;

    private final StoreCalls calls;
    private final ClientTime time;
    private final Callbacks callbacks;
    private final Events events;
    private final ViewedLeases views;
    private @Nullable HeldGrant newest;
    private int size;
    private long gap = Long.MAX_VALUE;
    private Scheduler.@Nullable Timer timer;
    private long timerAt;

    public LeaseKeeper(StoreCalls calls, ClientTime time, Callbacks callbacks, Events events, ViewedLeases views) {
        this.calls = calls;
        this.time = time;
        this.callbacks = callbacks;
        this.events = events;
        this.views = views;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    Events events() {
        return events;
    }

    long now() {
        return time.nanos();
    }

    long wallLead() {
        return time.wallLead();
    }

    /** Parks for one I/O timeout at most, until {@code done}. */
    void awaitAnswer(BooleanSupplier done) {
        time.parkUntil(done, time.nanos() + calls.ioNanos());
    }

    /**
     * Takes a grant into care, unless it was released or lost meanwhile. A provisional grant is renewed at the timer's
     * shortest gap (L3).
     */
    public void add(HeldGrant grant) {
        long now = grant.grantedNanos;
        synchronized (this) {
            if (!grant.active() || kept(grant)) {
                return;
            }
            grant.next = newest;
            if (newest != null) {
                newest.previous = grant;
            }
            newest = grant;
            size++;
            gap = Math.min(gap, Math.max(SHORTEST_GAP, grant.ttlNanos() / 60));
            grant.nextRenewal = grant.provisional() ? now + SHORTEST_GAP : firstRenewal(grant, now);
            wakeBy(earliest(grant), now);
        }
    }

    /** Lets a grant go: its release is about to be sent, or it is lost. It is not active any more. */
    public synchronized void remove(HeldGrant grant) {
        if (!kept(grant)) {
            return;
        }
        if (grant.previous != null) {
            grant.previous.next = grant.next;
        } else {
            newest = grant.next;
        }
        if (grant.next != null) {
            grant.next.previous = grant.previous;
        }
        grant.previous = null;
        grant.next = null;
        size--;
        if (size == 0) {
            gap = Long.MAX_VALUE;
        }
    }

    private boolean kept(HeldGrant grant) {
        return grant.previous != null || newest == grant;
    }

    /** The grants, the newest first. */
    synchronized List<HeldGrant> grants() {
        List<HeldGrant> all = new ArrayList<>(size);
        for (HeldGrant grant = newest; grant != null; grant = grant.next) {
            all.add(grant);
        }
        return all;
    }

    /** A pass gave the grant a new end. */
    public synchronized void passed(HeldGrant grant, long now) {
        if (kept(grant)) {
            wakeBy(earliest(grant), now);
        }
    }

    /** Renews everything that is in doubt as soon as possible. */
    void renewSoon() {
        long now = time.nanos();
        synchronized (this) {
            if (size > 0) {
                wakeBy(now, now);
            }
        }
    }

    /** Ends a grant whose time has come; does nothing if it has not, or if it ended before. */
    void expire(HeldGrant grant, long now) {
        if (grant.overdue(now)) {
            boolean byMaxHold = now - grant.deadline() < 0;
            lose(grant, byMaxHold ? LossReason.MAX_HOLD : LossReason.EXPIRED);
        }
    }

    /** Ends a grant, once. */
    public void lose(HeldGrant grant, LossReason reason) {
        if (!grant.startLoss()) {
            return;
        }
        // Read after the phase changed: no pass can put another lease in its place any more.
        LeaseHandle lease = grant.leaseOrStandIn();
        remove(grant);
        lease.lose(reason);
        grant.owner().lost(grant, lease);
    }

    @Override
    public void lost(HolderId holder, LossReason reason) {
        for (HeldGrant grant : grants()) {
            if (grant.claim().holder().equals(holder)) {
                lose(grant, reason);
            }
        }
    }

    /** A lease that is not renewed has no renewal that could fail: the connection makes no difference to it. */
    @Override
    public void disconnected() {
        for (HeldGrant grant : grants()) {
            if (grant.request().renewal()) {
                jeopardy(grant);
            }
        }
    }

    @Override
    public void connected() {
        long now = time.nanos();
        synchronized (this) {
            for (HeldGrant grant = newest; grant != null; grant = grant.next) {
                // Without renewal only an unconfirmed grant (L3) has a next one: the lease must end with its TTL.
                boolean renews = grant.request().renewal() || grant.nextRenewal - now < Request.FOREVER / 2;
                if (grant.failing && renews) {
                    grant.nextRenewal = now;
                }
            }
            if (size > 0) {
                wakeBy(now, now);
            }
        }
    }

    private void tick() {
        long now = time.nanos();
        long wallLead = time.wallLead();
        List<HeldGrant> ended = new ArrayList<>();
        List<HeldGrant> doubtful = new ArrayList<>();
        List<HeldGrant> due = new ArrayList<>();
        synchronized (this) {
            timer = null;
            for (HeldGrant grant = newest; grant != null; grant = grant.next) {
                if (grant.overdue(now)) {
                    ended.add(grant);
                    continue;
                }
                if (!grant.failing && grant.suspended(wallLead)) {
                    doubtful.add(grant);
                    grant.nextRenewal = grant.request().renewal() ? now : grant.nextRenewal;
                }
                if (!grant.renewing && now - (grant.nextRenewal - grant.ttlNanos() / 30) >= 0) {
                    grant.renewing = true;
                    due.add(grant);
                }
            }
        }
        ended.forEach(grant -> expire(grant, now));
        doubtful.forEach(this::jeopardy);
        renew(due, now, wallLead);
        synchronized (this) {
            long next = now + Request.FOREVER;
            for (HeldGrant grant = newest; grant != null; grant = grant.next) {
                long renewal = grant.renewing ? grant.end() : later(grant.nextRenewal, now + gap);
                next = earlier(next, earlier(grant.end(), renewal));
            }
            if (newest != null) {
                wakeBy(next, now);
            }
        }
    }

    private void renew(List<HeldGrant> due, long now, long wallLead) {
        List<HeldGrant> sent = new ArrayList<>(due.size());
        List<Claim> claims = new ArrayList<>(due.size());
        for (HeldGrant grant : due) {
            LeaseHandle lease = grant.lease();
            if (lease == null || lease.orphaned()) {
                abandon(grant, lease);
            } else if (grant.startRenewal()) {
                inspect(grant, lease, now);
                grant.weaken();
                sent.add(grant);
                claims.add(grant.claim());
            }
        }
        if (sent.isEmpty()) {
            return;
        }
        calls.callUrgently(() -> send(sent, claims), (results, failure) -> {
            sent.forEach(HeldGrant::renewalSent); // if it could not even be sent
            for (int i = 0; i < sent.size(); i++) {
                RenewResult result = results != null && i < results.size()
                        ? results.get(i)
                        : new RenewResult.Unanswered(
                                failure == null ? new IllegalStateException("no answer") : failure);
                answered(sent.get(i), result, now, wallLead);
            }
        });
    }

    private CompletionStage<List<RenewResult>> send(List<HeldGrant> grants, List<Claim> claims) {
        try {
            return calls.store().renew(claims);
        } finally {
            grants.forEach(HeldGrant::renewalSent);
        }
    }

    private void answered(HeldGrant grant, RenewResult result, long sentNanos, long sentWallLead) {
        long now = time.nanos();
        boolean extended =
                result instanceof RenewResult.Renewed renewed && grant.extend(renewed.term(), now, sentWallLead);
        synchronized (this) {
            grant.renewing = false;
            if (kept(grant)) {
                grant.nextRenewal = extended ? renewalAfter(grant, sentNanos) : now + retryPause(grant);
                wakeBy(earliest(grant), now);
            }
        }
        if (result instanceof RenewResult.Lost lost) {
            lose(grant, lost.reason());
        } else if (result instanceof RenewResult.Unanswered unanswered) {
            if (!(unanswered.cause() instanceof StoreUnavailableException)) {
                Log.warning("renewal of lock '" + grant.claim().lockName() + "' failed", unanswered.cause());
            }
            jeopardy(grant);
        } else if (extended && events.any()) {
            LeaseHandle lease = grant.lease();
            if (lease != null) {
                Duration left = lease.remaining();
                events.tell(listener -> listener.onRenewed(lease, left));
            }
        }
    }

    private void jeopardy(HeldGrant grant) {
        if (grant.failing || !grant.active()) {
            return;
        }
        grant.failing = true;
        grant.leaseOrStandIn().jeopardy();
    }

    /** Tells of a renewal that comes late, and of a lease that is held for very long. */
    private void inspect(HeldGrant grant, LeaseHandle lease, long now) {
        long late = now - grant.nextRenewal;
        if (events.any() && late > grant.ttlNanos() / 6) {
            events.tell(listener -> listener.onLate(lease, Duration.ofNanos(late)));
        }
        if (lease.held().toNanos() > WARN_AFTER_TTLS * grant.ttlNanos() && !grant.note(HeldGrant.WARNED)) {
            Log.warning("lock '" + grant.claim().lockName() + "' (token " + lease.token() + ") has been held for "
                    + Text.of(lease.held()) + ", " + WARN_AFTER_TTLS + " times its TTL"
                    + LeakSites.stackOf(lease.thread()));
        }
    }

    /** The lease can never be closed: let it run out, and say where it came from. */
    private void abandon(HeldGrant grant, @Nullable LeaseHandle lease) {
        synchronized (this) {
            grant.renewing = false;
            grant.nextRenewal = grant.end() + grant.ttlNanos();
        }
        if (grant.note(HeldGrant.ABANDONED)) {
            return;
        }
        views.forgetDeadThreads();
        Log.warning("a lease of lock '" + grant.claim().lockName() + "' was never closed and "
                + (lease == null ? "cannot be reached any more" : "its thread has ended")
                + "; it is not renewed and ends in " + Text.nanos(grant.end() - time.nanos())
                + LeakSites.describe(grant.site()));
        jeopardy(grant); // Its callbacks hear that it ends (U36).
    }

    /**
     * From the start of the term, of which most may be gone when a pushed grant arrives (U2); but not before a sixth of
     * what is left: the term of a session's lock began with the session's last proven sign of life (U3), and every grant
     * of a session that is a third of its timeout old would be due at once.
     */
    private static long firstRenewal(HeldGrant grant, long now) {
        long end = grant.deadline();
        return later(renewalAfter(grant, end - grant.ttlNanos()), now + Math.max(0, end - now) / 6);
    }

    private static long renewalAfter(HeldGrant grant, long sent) {
        if (!grant.request().renewal()) {
            return sent + Request.FOREVER;
        }
        long third = grant.ttlNanos() / 3;
        // ± 10 %, drawn from the holder id and the time: no lock, no state.
        long bits = (grant.claim().holder().low() ^ sent * 0x9E3779B97F4A7C15L) >>> 40;
        long usual = sent + third - third / 10 + (long) (third * 0.2 * bits / (1 << 24));
        // A session may be shorter than the lease that it carries (L22): its term ends before the TTL does.
        return earlier(usual, sent + (grant.deadline() - sent) / 3 * 2);
    }

    private long retryPause(HeldGrant grant) {
        return Math.max(SHORTEST_GAP, Math.min(grant.ttlNanos() / 20, 250_000_000));
    }

    private static long earliest(HeldGrant grant) {
        return grant.renewing ? grant.end() : earlier(grant.end(), grant.nextRenewal);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    /** Under the monitor. */
    private void wakeBy(long at, long now) {
        if (timer != null) {
            if (at - timerAt >= 0) {
                return;
            }
            timer.cancel();
        }
        timerAt = at;
        timer = time.schedule(this::tick, Math.max(0, at - now));
    }
}
