package io.holdfast.engine;

import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Ticket;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One client's contention for one name at the store, on behalf of the waiter at the head of the local queue.
 *
 * <pre>
 *   ASKING ──refused──▶ PAUSING ──pause over, or a wake──▶ ASKING        (pull, watch)
 *   ASKING ──queued───▶ QUEUED  ──ticket granted──▶ OVER                 (queue)
 *   QUEUED ──time up, and no other request for the place──▶ LEAVING ──cancel answered──▶ OVER
 *   ASKING ──granted──▶ OVER,   or CONFIRMING first if little of a pushed grant is left (L3)
 * </pre>
 *
 * <p>The three ways to wait differ only in what follows a refusal: a queueing store does not refuse but queues; a
 * watchable one pauses for long and is woken; any other pauses for a random while (S).
 *
 * <ul>
 *   <li>I1: every field is guarded by the queue's monitor; the store is called outside of it.
 *   <li>I2: every ask has a fresh holder id. An answer counts only if it is about the current claim and the contest is
 *       not over; any other grant is released, any other place cancelled (U15).
 *   <li>I3: after an unknown outcome the claim is released before another ask is sent.
 *   <li>I4: whatever is thrown while the store is asked or an answer is taken in is the failure of this request: the
 *       contest is over, its claim is released, and the next one begins (L13).
 *   <li>I5: the contest belongs to the queue, not to its waiter: who gives up is replaced by the next in line if the
 *       claim serves that one as well (L9); nobody is passed over for it (ADR 4).
 * </ul>
 */
final class Contest {
    enum Phase {
        ASKING,
        CONFIRMING,
        QUEUED,
        LEAVING,
        PAUSING,
        OVER
    }

    /** At least this much is left of a pushed grant when it is given to somebody (L3). */
    private static final long CONFIRM_BELOW = 200_000_000;

    /** How long a watched name is not asked about without a hint. */
    private static final long WATCHED_PAUSE = 1_000_000_000;

    private static final long LONGEST_PAUSE = 1_000_000_000;

    private final NameQueue queue;

    // Guarded by the queue.
    Waiter waiter;
    Phase phase = Phase.ASKING;
    private @Nullable Claim claim;
    private long askedWallLead;
    private @Nullable Delay delay;

    /** What only a contest has that was not granted at once. Guarded by the queue. */
    private static final class Delay {
        @Nullable
        Ticket ticket;

        Scheduler.@Nullable Timer pause;
        WatchableStore.@Nullable Watch watch;

        /** A hint came while the store was being asked. */
        boolean woken;

        /** The pause follows a refusal of a watched name: a hint should end it. */
        boolean awaitsHint;

        /** No hint ended such a pause. */
        boolean unhinted;

        boolean lastAsk;

        /** The waiter is not the one for whom the store was asked (L9). */
        boolean inherited;

        byte failures;

        @Nullable
        Throwable failure;

        void stopPause() {
            if (pause != null) {
                pause.cancel();
                pause = null;
            }
        }

        /** The store answered. */
        void recovered() {
            failure = null;
            failures = 0;
        }
    }

    Contest(NameQueue queue, Waiter waiter) {
        this.queue = queue;
        this.waiter = waiter;
        waiter.contest = this;
    }

    @Nullable
    Throwable failure() {
        return delay == null ? null : delay.failure;
    }

    /** Under the monitor: whether the waiter's time is up, and it has one I/O timeout more for its last answer. */
    boolean lastAsk() {
        return delay != null && delay.lastAsk;
    }

    /** Under the monitor: the next answer is the last that the waiter waits for. */
    void startLastAsk() {
        delay().lastAsk = true;
    }

    private Delay delay() {
        Delay known = delay;
        if (known == null) {
            known = new Delay();
            delay = known;
        }
        return known;
    }

    /** Asks the store for the lock, unless this client has to leave the name to others for a while (L21). */
    void ask(boolean mayBlock) {
        try {
            if (!standsBack()) {
                askNow(mayBlock);
            }
        } catch (Throwable e) {
            broke(e);
        }
    }

    private void askNow(boolean mayBlock) {
        Claim asked;
        Request request;
        Duration wait;
        synchronized (queue) {
            if (phase != Phase.ASKING) {
                return;
            }
            boolean first = claim == null;
            asked = newClaim();
            request = waiter.request;
            wait = first ? request.longestWait() : remainingWait();
        }
        if (queue.env.events.any) {
            queue.env.events.tell(listener -> listener.onAttempt(request.lockName(), request.mode()));
        }
        if (mayBlock || !queue.env.info.blocking()) {
            askHere(asked, request, wait);
        } else if (!queue.env.offer(() -> askHere(asked, request, wait))) {
            failed(asked, new StoreUnavailableException("the client is closed", false, null));
        }
    }

    /** Pauses, or gives up if the wait is over, while other clients have the first turn; false if they have not. */
    private boolean standsBack() {
        Waiter decided = null;
        Contest next = null;
        synchronized (queue) {
            long left = phase == Phase.ASKING ? queue.standBackLeft() : 0;
            if (left <= 0) {
                return false;
            }
            waiter.refusedFor(Text.standsBack(left), queue.env.ticker.nanos());
            if (waiter.request.isTry() || timeIsUp()) {
                end();
                decided = waiter;
                next = queue.failed(this, waiter.request.isTry() ? Waiter.REFUSED : queue.timeout(waiter));
            } else {
                delay().stopPause();
                pauseFor(left);
            }
        }
        if (decided != null) {
            settle(decided, next);
        }
        return true;
    }

    /** Under the monitor: whether the waiter waits no longer than for the answer to what is asked now. */
    private boolean timeIsUp() {
        return lastAsk() || waiter.deadline - queue.env.ticker.nanos() <= 0;
    }

    /** The uncontended path: no lambda is made if the store answers at once. */
    private void askHere(Claim asked, Request request, Duration wait) {
        QueueingStore queueing = queue.env.queueing;
        try {
            if (queueing != null && !request.isTry()) {
                CompletionStage<EnqueueResult> stage = queueing.enqueue(asked, wait);
                EnqueueResult known = Env.known(stage);
                if (known != null) {
                    enqueued(asked, known, null);
                } else {
                    stage.whenComplete((result, failed) -> enqueued(asked, result, Env.unwrapped(failed)));
                }
            } else {
                CompletionStage<AcquireResult> stage = queue.env.store.tryAcquire(asked);
                AcquireResult known = Env.known(stage);
                if (known != null) {
                    answered(asked, known, null);
                } else {
                    stage.whenComplete((result, failed) -> answered(asked, result, Env.unwrapped(failed)));
                }
            }
        } catch (StoreUnavailableException e) {
            failed(asked, e);
        } catch (Throwable e) {
            broke(e);
        }
    }

    /** Something was thrown that no store and no part of the engine should throw: the request fails with it (L13). */
    void broke(Throwable why) {
        Claim asked;
        Waiter decided = null;
        Contest next = null;
        synchronized (queue) {
            asked = claim;
            if (phase != Phase.OVER) {
                end();
                decided = waiter;
                next = queue.failed(this, why);
            }
        }
        if (decided == null) {
            Log.warning(
                    "a request for lock '" + queue.name + "' was decided, and then its store or a callback failed",
                    why);
            return;
        }
        try {
            if (asked != null) {
                queue.env.late().release(asked);
            }
        } finally {
            settle(decided, next);
        }
    }

    /** Under the monitor. */
    private Duration remainingWait() {
        return Duration.ofNanos(Math.max(0, waiter.deadline - queue.env.ticker.nanos()));
    }

    /** Under the monitor: the claim of the next ask. */
    Claim newClaim() {
        if (delay != null) {
            delay.woken = false;
            delay.inherited = false;
            delay.stopPause();
        }
        askedWallLead = queue.env.wallLead();
        Claim fresh = queue.env.claim(waiter.request, queue.spanWanted(waiter.request), pauseToNote());
        claim = fresh;
        return fresh;
    }

    /**
     * Under the monitor: what a store without a queue notes if it refuses the next claim (L21). A watched name is asked
     * about as soon as a hint comes, so the usual pause is long enough for others to leave it; where no hint came, the
     * hints may be lost, and this client will be there only after its longest pause.
     */
    private Duration pauseToNote() {
        boolean waits = queue.env.queueing == null && !waiter.request.isTry() && !lastAsk();
        if (!waits || !queue.noteDue()) {
            return Duration.ZERO;
        }
        return delay != null && delay.unhinted ? Claim.LONGEST_PAUSE : queue.env.longestPause;
    }

    /** The answer of a store without a queue, or to a try. */
    private void answered(Claim about, @Nullable AcquireResult result, @Nullable Throwable failed) {
        try {
            if (result instanceof Granted grant) {
                granted(about, grant);
            } else if (result instanceof Refused refused) {
                refused(about, refused);
            } else {
                failed(about, failed);
            }
        } catch (Throwable e) {
            broke(e);
        }
    }

    /** The answer of a store with a queue. */
    void enqueued(Claim about, @Nullable EnqueueResult result, @Nullable Throwable failed) {
        try {
            if (result instanceof Granted grant) {
                granted(about, grant);
            } else if (result instanceof Queued place) {
                queued(about, place);
            } else {
                failed(about, failed);
            }
        } catch (Throwable e) {
            broke(e);
        }
    }

    private void granted(Claim about, Granted grant) {
        Waiter winner = null;
        Contest next = null;
        boolean confirm = false;
        boolean late = false;
        synchronized (queue) {
            if (current(about)) {
                long now = queue.env.ticker.nanos();
                long left = Hold.deadline(about, grant.term()) - now;
                boolean doubtful = left < leastLeft(about, grant) || clockMoved(about);
                confirm = phase != Phase.CONFIRMING && doubtful;
                late = !confirm && left <= 0;
                if (confirm) {
                    phase = Phase.CONFIRMING;
                    askedWallLead = queue.env.wallLead();
                } else if (!late) {
                    end();
                    winner = waiter;
                    next = queue.establish(this, about, grant, now, askedWallLead);
                }
            }
        }
        if (winner != null) {
            settle(winner, next);
        } else if (confirm) {
            confirm(about, grant);
        } else {
            queue.env.late().release(about);
            if (late) {
                failed(
                        about,
                        new StoreUnavailableException(
                                "the grant of lock '" + about.lockName() + "' arrived after its TTL had ended",
                                false,
                                null));
            }
        }
    }

    /**
     * Under the monitor: whether the wall clock has moved on beside the monotonic one while the claim was queued (U21). The
     * term of a pushed grant counts from the last poll (U2), and only the store's client knows when that was: a clock
     * that was set before it does not matter, a sleep after it does. A renewal tells them apart.
     */
    private boolean clockMoved(Claim about) {
        if (phase != Phase.QUEUED) {
            return false;
        }
        long lead = queue.env.wallLead();
        boolean moved = lead - askedWallLead > Env.drift(about.ttl().toNanos());
        askedWallLead = Math.min(askedWallLead, lead);
        return moved;
    }

    /** With less than this left a grant is renewed before anybody relies on it: a pushed one may have aged on its way. */
    private static long leastLeft(Claim about, Granted grant) {
        return grant.provisional()
                ? CONFIRM_BELOW
                : Math.min(CONFIRM_BELOW, about.ttl().toNanos() / 4);
    }

    /** Outside of the monitor: tells a decided waiter, and starts what comes next. */
    private void settle(Waiter decided, @Nullable Contest next) {
        queue.deliver(decided, false);
        if (next != null) {
            next.ask(false);
        }
    }

    /** Renews a pushed grant of which too little is left, before it is given to anybody. */
    private void confirm(Claim about, Granted grant) {
        queue.env.callUrgently(() -> queue.env.store.renew(List.of(about)), (results, failed) -> {
            if (results != null && !results.isEmpty() && results.get(0) instanceof RenewResult.Renewed renewed) {
                granted(about, new Granted(grant.token(), grant.span(), renewed.term()));
            } else {
                queue.env.late().release(about);
                failed(
                        about,
                        new StoreUnavailableException(
                                "the pushed grant of lock '" + about.lockName() + "' could not be confirmed",
                                false,
                                failed));
            }
        });
    }

    private void queued(Claim about, Queued place) {
        boolean wanted;
        Waiter timeUp = null;
        Duration longer = null;
        synchronized (queue) {
            wanted = current(about);
            if (wanted) {
                phase = Phase.QUEUED;
                Delay since = delay();
                since.ticket = place.ticket();
                since.recovered();
                queue.env.reached();
                waiter.refusedFor(place.because(), queue.env.ticker.nanos());
                timeUp = since.lastAsk ? waiter : null;
                longer = since.inherited ? remainingWait() : null;
            }
        }
        if (!wanted) {
            cancel(about, place.ticket());
            return;
        }
        if (longer != null) {
            place.ticket().extend(longer);
        }
        tellRefused(place.because());
        place.ticket().granted().whenComplete((grant, failed) -> enqueued(about, grant, Env.unwrapped(failed)));
        if (timeUp != null) {
            queue.giveUp(timeUp);
        }
    }

    private void refused(Claim about, Refused refused) {
        Waiter decided = null;
        Contest next = null;
        boolean askAgain = false;
        synchronized (queue) {
            if (!current(about)) {
                return;
            }
            waiter.refusedFor(refused, queue.env.ticker.nanos());
            if (!about.pause().isZero()) {
                queue.noted();
            }
            Delay since = delay();
            since.recovered();
            queue.env.reached();
            if (waiter.request.isTry()) {
                end();
                decided = waiter;
                next = queue.failed(this, Waiter.REFUSED);
            } else if (timeIsUp()) {
                end();
                decided = waiter;
                next = queue.failed(this, queue.timeout(waiter));
            } else if (since.woken) {
                askAgain = true;
            } else {
                pauseFor(refusalPause(refused));
                since.awaitsHint = queue.env.watchable != null;
            }
        }
        tellRefused(refused);
        if (decided != null) {
            settle(decided, next);
        } else if (askAgain) {
            ask(false);
        } else {
            watchIfPossible();
        }
    }

    private void failed(Claim about, @Nullable Throwable cause) {
        Throwable why = cause == null ? new StoreUnavailableException("the store answered nothing", true, null) : cause;
        boolean unavailable = why instanceof StoreUnavailableException;
        if (!unavailable || ((StoreUnavailableException) why).outcomeUnknown()) {
            queue.env.late().release(about);
        }
        Waiter decided = null;
        Contest next = null;
        synchronized (queue) {
            if (!current(about)) {
                return;
            }
            Delay since = delay();
            since.failure = why;
            since.ticket = null;
            if (!unavailable || timeIsUp()) {
                end();
                decided = waiter;
                next = queue.failed(this, why);
            } else {
                pauseFor(Math.min(queue.env.pauseNanos() << failures(since), LONGEST_PAUSE));
            }
        }
        if (decided != null) {
            settle(decided, next);
        }
    }

    /** Under the monitor: how often the store has failed in a row, counted up to where it stops to matter. */
    private static int failures(Delay since) {
        return since.failures < 6 ? since.failures++ : since.failures;
    }

    /** Under the monitor: waits before the next ask, but not beyond the wait. */
    void pauseFor(long nanos) {
        phase = Phase.PAUSING;
        delay().awaitsHint = false;
        long left = waiter.deadline - queue.env.ticker.nanos();
        delay().pause = queue.env.scheduler.schedule(this::pauseOver, Math.max(0, Math.min(nanos, left)));
    }

    private long refusalPause(Refused refused) {
        Duration worthwhile = refused.retryAfter();
        long atLeast = worthwhile == null ? 0 : worthwhile.toNanos();
        if (queue.env.watchable != null) {
            Duration remaining = refused.remaining();
            long expiry = remaining == null ? WATCHED_PAUSE : remaining.toNanos() + queue.env.pauseNanos();
            return Math.max(Math.min(expiry, WATCHED_PAUSE), atLeast);
        }
        return Math.max(queue.env.pauseNanos(), atLeast);
    }

    private WatchableStore.@Nullable Watch watch() {
        return delay == null ? null : delay.watch;
    }

    private void watchIfPossible() {
        WatchableStore watchable = queue.env.watchable;
        if (watchable == null || watch() != null) {
            return;
        }
        WatchableStore.Watch opened = watchable.watch(queue.name, this::hinted);
        boolean needless;
        synchronized (queue) {
            needless = phase == Phase.OVER || watch() != null;
            if (!needless) {
                delay().watch = opened;
            }
        }
        if (needless) {
            opened.close();
        } else {
            // A release between the refusal and the watch would go unnoticed.
            hinted();
        }
    }

    private void pauseOver() {
        wake(true);
    }

    /** The store hinted that the name may be free. */
    private void hinted() {
        wake(false);
    }

    private void wake(boolean withoutHint) {
        boolean askNow;
        boolean ownThread;
        synchronized (queue) {
            if (phase == Phase.ASKING) {
                delay().woken = true;
            }
            askNow = resume();
            if (askNow) {
                delay().unhinted = withoutHint && delay().awaitsHint;
            }
            ownThread = waiter.thread() == Thread.currentThread();
        }
        if (askNow) {
            ask(ownThread);
        }
    }

    /** Under the monitor: whether an answer about this claim still counts; matched by holder id (U15). */
    private boolean current(Claim about) {
        return phase != Phase.OVER
                && phase != Phase.LEAVING
                && claim != null
                && claim.holder().equals(about.holder());
    }

    /** Under the monitor: ends a pause; true for the one caller who then asks. */
    boolean resume() {
        if (phase != Phase.PAUSING) {
            return false;
        }
        phase = Phase.ASKING;
        return true;
    }

    /** Under the monitor: the contest is over; what it opened is closed. */
    void end() {
        phase = Phase.OVER;
        if (delay == null) {
            return;
        }
        delay.stopPause();
        WatchableStore.Watch opened = delay.watch;
        if (opened != null) {
            delay.watch = null;
            queue.env.execute(opened::close);
        }
    }

    /**
     * Under the monitor: the waiter has gone; the contest goes on for {@code next} if it can, else it is over and the
     * returned action undoes what it had. Says by {@link #phase} which.
     */
    @Nullable
    Runnable replaceWaiter(@Nullable Waiter next) {
        Claim current = claim;
        boolean serves = next != null
                && phase != Phase.LEAVING
                && (phase == Phase.PAUSING || (waiter.request.sameClaim(next.request) && !waiter.request.isTry()));
        if (serves && next != null) {
            waiter = next;
            Delay since = delay();
            since.lastAsk = false;
            since.inherited = true;
            next.contest = this;
            Ticket place = since.ticket;
            if (phase == Phase.QUEUED && place != null) {
                Duration wait = Duration.ofNanos(Math.max(0, next.deadline - queue.env.ticker.nanos()));
                return () -> place.extend(wait);
            }
            return null;
        }
        Ticket place = phase == Phase.QUEUED ? delay().ticket : null;
        end();
        return place == null || current == null ? null : () -> cancel(current, place);
    }

    /** Under the monitor: the claim whose outcome the store has not told yet. */
    @Nullable
    Claim underWay() {
        return phase == Phase.ASKING || phase == Phase.CONFIRMING ? claim : null;
    }

    /**
     * Under the monitor: the wait is over and no other request wants the place. The request is decided by the answer to
     * the cancel: a store that cannot be asked is an outage, not a timeout (L14). From now on a grant is not used (U15).
     */
    boolean startLeaving() {
        if (phase != Phase.QUEUED || lastAsk()) {
            return false;
        }
        phase = Phase.LEAVING;
        startLastAsk();
        return true;
    }

    /** Gives the place up after {@link #startLeaving}. */
    void leave() {
        Ticket place;
        Claim about;
        synchronized (queue) {
            place = delay().ticket;
            about = claim;
        }
        if (place != null && about != null) {
            queue.env.call(false, place::cancel, (result, failed) -> left(about, result, failed));
        }
    }

    private void left(Claim about, @Nullable ReleaseResult result, @Nullable Throwable failed) {
        if (result == null) {
            queue.env.late().release(about);
        }
        Waiter decided;
        Contest next;
        synchronized (queue) {
            if (phase != Phase.LEAVING) {
                return;
            }
            Throwable outage = failed instanceof StoreUnavailableException ? queue.unreachable(waiter, failed) : null;
            end();
            decided = waiter;
            next = queue.failed(this, outage != null ? outage : queue.timeout(waiter));
        }
        settle(decided, next);
    }

    private void cancel(Claim about, Ticket place) {
        queue.env.call(false, place::cancel, (result, failed) -> {
            if (result == null) {
                queue.env.late().release(about);
            }
        });
    }

    private void tellRefused(Refused refused) {
        if (queue.env.events.any) {
            String heldBy = refused.heldBy() == null ? "" : refused.heldBy().label();
            queue.env.events.tell(listener -> listener.onRefused(queue.name, waiter.request.mode(), heldBy));
        }
    }
}
