package io.holdfast.engine.queue;

import io.holdfast.Scheduler;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticket;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One request of this client to the store, on behalf of one waiter: a part of {@link LocalQueue}, which guards it.
 *
 * <pre>
 *   ASKING ──refused──▶ PAUSING ──pause over, or a hint──▶ ASKING        (pull, watch)
 *   ASKING ──queued───▶ QUEUED  ──pushed──▶ OVER                         (queue)
 *   QUEUED ──time up, and no other request for the place──▶ LEAVING ──cancel answered──▶ OVER
 *   ASKING ──granted──▶ OVER,   or CONFIRMING first if little of a pushed grant is left (L3)
 *   BEHIND_RELEASE ──the release of the grant before it is answered──▶ ASKING
 * </pre>
 *
 * <p>The three ways to wait differ only in what follows when the lock is not free: a store with a queue does not refuse
 * but queues; a watched name pauses for long and is woken by a hint; any other pauses for a random while (S).
 */
final class StoreRequest implements Waiter.Position {
    enum Phase {
        BEHIND_RELEASE,
        ASKING,
        CONFIRMING,
        QUEUED,
        LEAVING,
        PAUSING,
        OVER
    }

    Waiter waiter;
    Phase phase = Phase.ASKING;

    /** The last ask. Only its answer counts (U15). */
    Action.@Nullable Ask ask;

    private @Nullable Delay delay;

    /** What only a request has that was not granted at once. */
    private static final class Delay {
        @Nullable
        Ticket ticket;

        Scheduler.@Nullable Timer timer;
        WatchableStore.@Nullable Watch watch;

        /** A watch is open or being opened. */
        boolean watching;

        /** A hint came while the store was being asked. */
        boolean woken;

        /** The pause follows a refusal of a watched name: a hint should end it. */
        boolean awaitsHint;

        /** No hint ended such a pause. */
        boolean unhinted;

        /** The next answer is the last that the waiter waits for. */
        boolean lastAsk;

        /** The waiter is not the one for which the store was asked (L9). */
        boolean inherited;

        /** The pause that counts. */
        int pauseNumber;

        byte failures;

        @Nullable
        Throwable failure;

        @Nullable
        HeldGrant behind;
    }

    StoreRequest(Waiter waiter) {
        this.waiter = waiter;
        waiter.position = this;
    }

    private Delay delay() {
        Delay known = delay;
        if (known == null) {
            known = new Delay();
            delay = known;
        }
        return known;
    }

    /** Whether the answer to this ask counts. */
    boolean awaits(Action.Ask answered) {
        return ask == answered && (phase == Phase.ASKING || phase == Phase.CONFIRMING || phase == Phase.QUEUED);
    }

    /** Whether an answer decides what happens next, not a hint, a push or the end of a pause. */
    boolean awaitsAnswer() {
        return phase == Phase.ASKING
                || phase == Phase.CONFIRMING
                || phase == Phase.LEAVING
                || phase == Phase.BEHIND_RELEASE;
    }

    boolean lastAsk() {
        return delay != null && delay.lastAsk;
    }

    void startLastAsk() {
        delay().lastAsk = true;
    }

    /** Whether the waiter waits no longer than for the answer to what is asked now. */
    boolean timeIsUp(long now) {
        return lastAsk() || waiter.deadline - now <= 0;
    }

    /** Begins a new ask, of which nothing is sent yet. A timer that is still armed is discarded. */
    Action.Ask startAsk(int span, Duration note, long now) {
        Duration wait = ask == null ? waiter.request.longestWait() : remainingWait(now);
        Action.Ask fresh = new Action.Ask(this, span, note, wait);
        phase = Phase.ASKING;
        ask = fresh;
        if (delay != null) {
            delay.woken = false;
            delay.inherited = false;
            fresh.next = stopPause(delay);
        }
        return fresh;
    }

    Duration remainingWait(long now) {
        return Duration.ofNanos(Math.max(0, waiter.deadline - now));
    }

    /** Waits for the answer to the release of a grant before it asks. */
    void waitBehind(HeldGrant released) {
        phase = Phase.BEHIND_RELEASE;
        delay().behind = released;
    }

    boolean waitsBehind(HeldGrant released) {
        return phase == Phase.BEHIND_RELEASE && delay != null && delay.behind == released;
    }

    /** Pauses before the next ask, but not beyond the wait. */
    Action.Pause pause(PauseLength length, boolean awaitsHint, long now) {
        Delay since = delay();
        phase = Phase.PAUSING;
        since.awaitsHint = awaitsHint;
        Action.Pause pause = new Action.Pause(this, ++since.pauseNumber, length, waiter.deadline - now);
        pause.next = stopPause(since);
        return pause;
    }

    /** The timer of a pause is armed; false if that pause is over. */
    boolean pausing(int number, Scheduler.Timer timer) {
        if (phase != Phase.PAUSING || delay().pauseNumber != number) {
            return false;
        }
        delay().timer = timer;
        return true;
    }

    /** The timer of a pause has run; true if the pause ends with it. */
    boolean endPause(int number) {
        if (phase != Phase.PAUSING || delay().pauseNumber != number) {
            return false;
        }
        delay().unhinted = delay().awaitsHint;
        delay().timer = null;
        return true;
    }

    /** A hint came; true if a pause ends with it. */
    boolean hinted() {
        if (phase == Phase.ASKING) {
            delay().woken = true;
        }
        if (phase != Phase.PAUSING) {
            return false;
        }
        delay().unhinted = false;
        return true;
    }

    /** Whether a hint came since the store was asked. */
    boolean woken() {
        return delay != null && delay.woken;
    }

    /** Whether a pause ended without the hint that should have ended it. */
    boolean unhinted() {
        return delay != null && delay.unhinted;
    }

    /** Whether a watch is to be opened now. */
    boolean startWatching() {
        boolean wanted = !delay().watching;
        delay().watching = true;
        return wanted;
    }

    /** A watch is open; false if it is not wanted any more. */
    boolean watched(WatchableStore.Watch watch) {
        if (phase == Phase.OVER || delay().watch != null) {
            return false;
        }
        delay().watch = watch;
        return true;
    }

    /** Has a place in the store's queue. */
    void queued(Ticket ticket) {
        phase = Phase.QUEUED;
        delay().ticket = ticket;
    }

    @Nullable
    Ticket ticket() {
        return delay == null ? null : delay.ticket;
    }

    /** Whether the place was taken over by a waiter for which the store was not asked. */
    boolean inherited() {
        return delay != null && delay.inherited;
    }

    /** The store answered. */
    void recovered() {
        if (delay != null) {
            delay.failure = null;
            delay.failures = 0;
        }
    }

    /** The store failed; returns how often it had failed before in a row, counted up to where it stops to matter. */
    int failed(Throwable why) {
        Delay since = delay();
        since.failure = why;
        since.ticket = null;
        return since.failures < 6 ? since.failures++ : since.failures;
    }

    @Nullable
    Throwable failure() {
        return delay == null ? null : delay.failure;
    }

    /**
     * Whether the wall clock has moved on beside the monotonic one while the claim was queued (U21). The term of a pushed
     * grant counts from the last poll (U2), and only the store's client knows when that was: a clock that was set before
     * it does not matter, a sleep after it does. A renewal tells them apart.
     */
    boolean clockMoved(Action.Ask queued, Claim claim, long lead) {
        if (phase != Phase.QUEUED) {
            return false;
        }
        boolean moved = lead - queued.wallLead > ClientTime.drift(claim.ttl().toNanos());
        queued.wallLead = Math.min(queued.wallLead, lead);
        return moved;
    }

    /** Whether this request serves another waiter as it is: nothing is claimed yet, or an equal claim (L9). */
    boolean serves(@Nullable Waiter next) {
        if (next == null || phase == Phase.LEAVING) {
            return false;
        }
        boolean unclaimed = phase == Phase.PAUSING || phase == Phase.BEHIND_RELEASE;
        return unclaimed || (waiter.request.sameClaim(next.request) && !waiter.request.isTry());
    }

    /** Goes on for another waiter. */
    void takeOver(Waiter next) {
        waiter = next;
        next.position = this;
        delay().lastAsk = false;
        delay().inherited = true;
    }

    /** Is over. An ask that was not sent yet is not sent any more; what was opened is discarded. */
    @Nullable
    Action end() {
        phase = Phase.OVER;
        if (ask != null) {
            ask.unwanted();
        }
        if (delay == null || (delay.timer == null && delay.watch == null)) {
            return null;
        }
        Action discard = new Action.Discard(delay.timer, delay.watch);
        delay.timer = null;
        delay.watch = null;
        return discard;
    }

    private static @Nullable Action stopPause(Delay since) {
        Scheduler.Timer armed = since.timer;
        since.timer = null;
        return armed == null ? null : new Action.Discard(armed, null);
    }
}
