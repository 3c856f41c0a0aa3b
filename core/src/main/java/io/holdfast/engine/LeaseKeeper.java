package io.holdfast.engine;

import io.holdfast.LossReason;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the holds of one client alive and says when one has ended.
 *
 * <p>One timer per client. A tick looks at every hold: those whose end has come are lost, and those due for renewal, or
 * almost due, go into <em>one</em> call of the store. A lease is renewed at a third of its TTL ± 10 %; a failed renewal
 * is repeated until the local deadline. Ends are kept to the instant; renewals are rounded to a sixtieth of the
 * shortest TTL, so that ten thousand leases make a handful of calls.
 *
 * <ul>
 *   <li>I1: a hold is in the list from its grant until its release is sent or it is lost; only holds in the list are
 *       renewed, and after LOST nothing is sent (L11).
 *   <li>I2: at most one renewal of a hold is under way.
 *   <li>I3: the timer is never later than the earliest end or due renewal of any hold in the list.
 * </ul>
 *
 * <p>The monitor of this object is a leaf: nothing is called while it is held. The list is linked through the holds
 * themselves, so that an uncontended acquire and release allocates and schedules nothing here.
 */
final class LeaseKeeper implements StoreSignals {
    private static final long SHORTEST_GAP = 1_000_000;
    private static final int WARN_AFTER_TTLS = 10;

    private final Env env;
    private @Nullable Hold newest;
    private int size;
    private long gap = Long.MAX_VALUE;
    private Scheduler.@Nullable Timer timer;
    private long timerAt;

    LeaseKeeper(Env env) {
        this.env = env;
    }

    /** Takes a hold into care. A provisional grant is renewed at the timer's shortest gap (L3). */
    void add(Hold hold, boolean provisional) {
        long now = hold.grantedNanos;
        synchronized (this) {
            hold.next = newest;
            if (newest != null) {
                newest.previous = hold;
            }
            newest = hold;
            size++;
            gap = Math.min(gap, Math.max(SHORTEST_GAP, hold.ttlNanos() / 60));
            hold.nextRenewal = provisional ? now + SHORTEST_GAP : firstRenewal(hold, now);
            wakeBy(earliest(hold), now);
        }
    }

    /** Lets a hold go: its release is about to be sent, or it is lost. */
    synchronized void remove(Hold hold) {
        if (!kept(hold)) {
            return;
        }
        if (hold.previous != null) {
            hold.previous.next = hold.next;
        } else {
            newest = hold.next;
        }
        if (hold.next != null) {
            hold.next.previous = hold.previous;
        }
        hold.previous = null;
        hold.next = null;
        size--;
        if (size == 0) {
            gap = Long.MAX_VALUE;
        }
    }

    private boolean kept(Hold hold) {
        return hold.previous != null || newest == hold;
    }

    /** The holds, the last granted first. */
    synchronized List<Hold> holds() {
        List<Hold> all = new ArrayList<>(size);
        for (Hold hold = newest; hold != null; hold = hold.next) {
            all.add(hold);
        }
        return all;
    }

    /** A pass gave the hold a new end. */
    synchronized void passed(Hold hold, long now) {
        if (kept(hold)) {
            wakeBy(earliest(hold), now);
        }
    }

    /** Renews everything that is in doubt as soon as possible. */
    void renewSoon() {
        long now = env.ticker.nanos();
        synchronized (this) {
            if (size > 0) {
                wakeBy(now, now);
            }
        }
    }

    /** Ends a hold whose time has come; does nothing if it has not, or if it ended before. */
    void expire(Hold hold, long now) {
        if (hold.overdue(now)) {
            boolean byMaxHold = now - Hold.deadline(hold) < 0;
            lose(hold, byMaxHold ? LossReason.MAX_HOLD : LossReason.EXPIRED);
        }
    }

    /** Ends a hold, once. */
    void lose(Hold hold, LossReason reason) {
        if (!hold.startLoss()) {
            return;
        }
        // Read after the phase changed: no pass can put another lease in its place any more.
        LeaseHandle lease = hold.leaseOrStandIn();
        remove(hold);
        lease.lose(reason);
        hold.queue.lost(hold, lease);
    }

    @Override
    public void lost(HolderId holder, LossReason reason) {
        for (Hold hold : holds()) {
            if (hold.claim.holder().equals(holder)) {
                lose(hold, reason);
            }
        }
    }

    /** A lease that is not renewed has no renewal that could fail: the connection makes no difference to it. */
    @Override
    public void disconnected() {
        for (Hold hold : holds()) {
            if (hold.request.renewal()) {
                jeopardy(hold);
            }
        }
    }

    @Override
    public void connected() {
        long now = env.ticker.nanos();
        synchronized (this) {
            for (Hold hold = newest; hold != null; hold = hold.next) {
                // Without renewal only an unconfirmed grant (L3) has a next one: the lease must end with its TTL.
                boolean renews = hold.request.renewal() || hold.nextRenewal - now < Request.FOREVER / 2;
                if (hold.failing && renews) {
                    hold.nextRenewal = now;
                }
            }
            if (size > 0) {
                wakeBy(now, now);
            }
        }
    }

    private void tick() {
        long now = env.ticker.nanos();
        long wallLead = env.wallLead();
        List<Hold> ended = new ArrayList<>();
        List<Hold> doubtful = new ArrayList<>();
        List<Hold> due = new ArrayList<>();
        synchronized (this) {
            timer = null;
            for (Hold hold = newest; hold != null; hold = hold.next) {
                if (hold.overdue(now)) {
                    ended.add(hold);
                    continue;
                }
                if (!hold.failing && hold.suspended(wallLead)) {
                    doubtful.add(hold);
                    hold.nextRenewal = hold.request.renewal() ? now : hold.nextRenewal;
                }
                if (!hold.renewing && now - (hold.nextRenewal - hold.ttlNanos() / 30) >= 0) {
                    hold.renewing = true;
                    due.add(hold);
                }
            }
        }
        ended.forEach(hold -> expire(hold, now));
        doubtful.forEach(this::jeopardy);
        renew(due, now, wallLead);
        synchronized (this) {
            long next = now + Request.FOREVER;
            for (Hold hold = newest; hold != null; hold = hold.next) {
                long renewal = hold.renewing ? hold.end() : later(hold.nextRenewal, now + gap);
                next = earlier(next, earlier(hold.end(), renewal));
            }
            if (newest != null) {
                wakeBy(next, now);
            }
        }
    }

    private void renew(List<Hold> due, long now, long wallLead) {
        List<Hold> sent = new ArrayList<>(due.size());
        List<Claim> claims = new ArrayList<>(due.size());
        for (Hold hold : due) {
            LeaseHandle lease = hold.lease();
            if (lease == null || lease.orphaned()) {
                abandon(hold, lease);
            } else if (hold.startRenewal()) {
                inspect(hold, lease, now);
                hold.weaken();
                sent.add(hold);
                claims.add(hold.claim);
            }
        }
        if (sent.isEmpty()) {
            return;
        }
        env.callUrgently(() -> send(sent, claims), (results, failure) -> {
            sent.forEach(Hold::renewalSent); // if it could not even be sent
            for (int i = 0; i < sent.size(); i++) {
                RenewResult result = results != null && i < results.size()
                        ? results.get(i)
                        : new RenewResult.Unanswered(
                                failure == null ? new IllegalStateException("no answer") : failure);
                answered(sent.get(i), result, now, wallLead);
            }
        });
    }

    private CompletionStage<List<RenewResult>> send(List<Hold> holds, List<Claim> claims) {
        try {
            return env.store.renew(claims);
        } finally {
            holds.forEach(Hold::renewalSent);
        }
    }

    private void answered(Hold hold, RenewResult result, long sentNanos, long sentWallLead) {
        long now = env.ticker.nanos();
        boolean extended =
                result instanceof RenewResult.Renewed renewed && hold.extend(renewed.term(), now, sentWallLead);
        synchronized (this) {
            hold.renewing = false;
            if (kept(hold)) {
                hold.nextRenewal = extended ? renewalAfter(hold, sentNanos) : now + retryPause(hold);
                wakeBy(earliest(hold), now);
            }
        }
        if (result instanceof RenewResult.Lost lost) {
            lose(hold, lost.reason());
        } else if (result instanceof RenewResult.Unanswered unanswered) {
            if (!(unanswered.cause() instanceof StoreUnavailableException)) {
                Log.warning("renewal of lock '" + hold.claim.lockName() + "' failed", unanswered.cause());
            }
            jeopardy(hold);
        } else if (extended && env.events.any) {
            LeaseHandle lease = hold.lease();
            if (lease != null) {
                Duration left = lease.remaining();
                env.events.tell(listener -> listener.onRenewed(lease, left));
            }
        }
    }

    private void jeopardy(Hold hold) {
        if (hold.failing || !hold.active()) {
            return;
        }
        hold.failing = true;
        hold.leaseOrStandIn().jeopardy();
    }

    /** Tells of a renewal that comes late, and of a lease that is held for very long. */
    private void inspect(Hold hold, LeaseHandle lease, long now) {
        long late = now - hold.nextRenewal;
        if (env.events.any && late > hold.ttlNanos() / 6) {
            env.events.tell(listener -> listener.onLate(lease, Duration.ofNanos(late)));
        }
        if (lease.held().toNanos() > WARN_AFTER_TTLS * hold.ttlNanos() && !hold.note(Hold.WARNED)) {
            Log.warning("lock '" + hold.claim.lockName() + "' (token " + lease.token() + ") has been held for "
                    + Text.of(lease.held()) + ", " + WARN_AFTER_TTLS + " times its TTL"
                    + Sites.stackOf(lease.thread()));
        }
    }

    /** The lease can never be closed: let it run out, and say where it came from. */
    private void abandon(Hold hold, @Nullable LeaseHandle lease) {
        synchronized (this) {
            hold.renewing = false;
            hold.nextRenewal = hold.end() + hold.ttlNanos();
        }
        if (hold.note(Hold.ABANDONED)) {
            return;
        }
        env.viewed.keySet().removeIf(owner -> !owner.thread().isAlive());
        Log.warning("a lease of lock '" + hold.claim.lockName() + "' was never closed and "
                + (lease == null ? "cannot be reached any more" : "its thread has ended")
                + "; it is not renewed and ends in " + Text.nanos(hold.end() - env.ticker.nanos())
                + Sites.describe(hold.site()));
        jeopardy(hold); // Its callbacks hear that it ends (U36).
    }

    /**
     * From the start of the term, of which most may be gone when a pushed grant arrives (U2); but not before a sixth of
     * what is left: the term of a session's lock began with the session's last proven sign of life (U3), and every grant
     * of a session that is a third of its timeout old would be due at once.
     */
    private static long firstRenewal(Hold hold, long now) {
        long end = Hold.deadline(hold);
        return later(renewalAfter(hold, end - hold.ttlNanos()), now + Math.max(0, end - now) / 6);
    }

    private static long renewalAfter(Hold hold, long sent) {
        if (!hold.request.renewal()) {
            return sent + Request.FOREVER;
        }
        long third = hold.ttlNanos() / 3;
        // ± 10 %, drawn from the holder id and the time: no lock, no state.
        long bits = (hold.claim.holder().low() ^ sent * 0x9E3779B97F4A7C15L) >>> 40;
        long usual = sent + third - third / 10 + (long) (third * 0.2 * bits / (1 << 24));
        // A session may be shorter than the lease that it carries (L22): its term ends before the TTL does.
        return earlier(usual, sent + (Hold.deadline(hold) - sent) / 3 * 2);
    }

    private long retryPause(Hold hold) {
        return Math.max(SHORTEST_GAP, Math.min(hold.ttlNanos() / 20, 250_000_000));
    }

    private static long earliest(Hold hold) {
        return hold.renewing ? hold.end() : earlier(hold.end(), hold.nextRenewal);
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
        timer = env.scheduler.schedule(this::tick, Math.max(0, at - now));
    }
}
