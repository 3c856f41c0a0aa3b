package io.holdfast.engine.queue;

import static io.holdfast.engine.queue.QueueRules.Waiting.WATCH;

import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.queue.StoreRequest.Phase;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.WatchableStore;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a {@link LocalQueue} that take answers of the store in, and what was opened for a request: watches
 * and the timers of pauses. Pure, as the queue.
 */
final class StoreAnswers {
    /** At least this much is left of a pushed grant when it is used (L3). */
    private static final long CONFIRM_BELOW = 200_000_000;

    private final QueueState state;

    StoreAnswers(QueueState state) {
        this.state = state;
    }

    /** Whether the answer to this ask is the one that its request waits for. */
    boolean counts(Ask ask) {
        return !ask.settled() && ask.request.awaits(ask);
    }

    /** An ask was granted. */
    @Nullable
    Action granted(Ask ask, Granted grant, long now) {
        return granted(ask, grant, ask.wallLead, now);
    }

    /** The store pushed a grant to a place in its queue. {@code wallLead} is the wall clock's lead at the arrival. */
    @Nullable
    Action pushed(Ask ask, Granted grant, long wallLead, long now) {
        return granted(ask, grant, wallLead, now);
    }

    private @Nullable Action granted(Ask ask, Granted grant, long wallLead, long now) {
        if (ask.settled() || ask.confirming()) {
            return null;
        }
        Claim claim = ask.sentClaim();
        if (!ask.request.awaits(ask)) {
            ask.settle();
            return new Action.Release(claim);
        }
        long left = HeldGrant.deadline(claim, grant.term()) - now;
        if (left < leastLeft(claim, grant) || ask.request.clockMoved(ask, claim, wallLead)) {
            ask.confirm();
            ask.request.phase = Phase.CONFIRMING;
            return new Action.Confirm(ask, grant);
        }
        return establish(ask, claim, grant, now);
    }

    /** With less than this left a grant is renewed before it is used: a pushed one may have aged on its way. */
    private static long leastLeft(Claim claim, Granted grant) {
        return grant.provisional()
                ? CONFIRM_BELOW
                : Math.min(CONFIRM_BELOW, claim.ttl().toNanos() / 4);
    }

    /** The renewal of a grant that was in doubt was answered, or failed; it was sent at {@code wallLead}. */
    @Nullable
    Action confirmed(
            Action.Confirm about, @Nullable RenewResult result, @Nullable Throwable failure, long wallLead, long now) {
        Ask ask = about.ask;
        if (ask.settled()) {
            return null;
        }
        Claim claim = ask.sentClaim();
        if (ask.request.awaits(ask) && result instanceof RenewResult.Renewed renewed) {
            Granted grant = new Granted(about.grant.token(), about.grant.span(), renewed.term());
            ask.wallLead = wallLead;
            if (HeldGrant.deadline(claim, grant.term()) - now > 0) {
                return establish(ask, claim, grant, now);
            }
            return Action.chain(unanswered(ask, WaitFailures.late(state.name), now), new Action.Release(claim));
        }
        return Action.chain(
                unanswered(ask, WaitFailures.unconfirmed(state.name, failure), now), new Action.Release(claim));
    }

    private @Nullable Action establish(Ask ask, Claim claim, Granted grant, long now) {
        ask.settle();
        Waiter winner = ask.request.waiter;
        HeldGrant fresh = new HeldGrant(state.owner, claim, winner.request, grant, now, ask.wallLead);
        LeaseHandle lease = fresh.issue(winner.owner, winner.request, now);
        state.holds.add(fresh, winner.owner);
        Action established = new Action.Establish(fresh, winner);
        winner.decide(lease);
        established.next = Action.chain(state.end(ask.request), state.askForNext(now));
        return established;
    }

    /** The claim has a place in the store's queue. */
    @Nullable
    Action queued(Ask ask, Queued place, long now) {
        StoreRequest request = ask.request;
        if (ask.settled() || ask.confirming() || (request.awaits(ask) && request.phase != Phase.ASKING)) {
            return null;
        }
        if (!request.awaits(ask)) {
            return QueueState.cancel(ask, place.ticket());
        }
        request.queued(place.ticket());
        request.recovered();
        request.waiter.refusedFor(place.because(), now);
        Action longer = request.inherited() ? new Action.Extend(place.ticket(), request.remainingWait(now)) : null;
        Action given = request.lastAsk()
                ? state.withdraw(request.waiter, state.timeout(request.waiter, true, now), now)
                : null;
        Action awaits = request.awaits(ask) ? new Action.AwaitPush(ask, place.ticket()) : null;
        return Action.chain(Action.chain(given, longer), awaits);
    }

    /** The lock is not free. */
    @Nullable
    Action refused(Ask ask, Refused refused, long now) {
        StoreRequest request = ask.request;
        if (ask.settled() || !request.awaits(ask)) {
            return null;
        }
        ask.settle();
        request.waiter.refusedFor(refused, now);
        if (!ask.note.isZero()) {
            state.standBack.noted(now);
        }
        request.recovered();
        if (request.waiter.request.isTry()) {
            return state.fail(request, Waiter.REFUSED, now);
        }
        if (request.timeIsUp(now)) {
            return state.fail(request, state.timeout(request.waiter, true, now), now);
        }
        if (request.woken()) {
            return state.ask(request, now);
        }
        if (state.rules.waiting() != WATCH) {
            return request.pause(PauseLength.afterRefusal(refused.retryAfter()), false, now);
        }
        Action pause = request.pause(PauseLength.untilHint(refused.remaining(), refused.retryAfter()), true, now);
        return request.startWatching() ? Action.chain(pause, new Action.Watch(request)) : pause;
    }

    /** The store did not answer, or something was thrown on the way to it: the outcome of the ask (L13). */
    @Nullable
    Action failed(Ask ask, Throwable why, long now) {
        return ask.settled() || ask.confirming() ? null : unanswered(ask, why, now);
    }

    private @Nullable Action unanswered(Ask ask, Throwable why, long now) {
        boolean current = ask.request.awaits(ask);
        ask.settle();
        boolean unavailable = why instanceof StoreUnavailableException;
        Claim claim = ask.claim();
        boolean unknown = !unavailable || ((StoreUnavailableException) why).outcomeUnknown();
        Action undo = claim != null && unknown ? new Action.Release(claim) : null;
        if (!current) {
            return undo;
        }
        StoreRequest request = ask.request;
        int failures = request.failed(why);
        return !unavailable || request.timeIsUp(now)
                ? Action.chain(state.fail(request, why, now), undo)
                : Action.chain(undo, request.pause(PauseLength.afterFailure(failures), false, now));
    }

    /** A place was given up, or the store did not say so. */
    @Nullable
    Action cancelled(Ask ask, @Nullable ReleaseResult result, @Nullable Throwable failure, long now) {
        Action undo = result == null ? new Action.Release(ask.sentClaim()) : null;
        StoreRequest request = ask.request;
        if (request.phase != Phase.LEAVING || request.ask != ask) {
            return undo;
        }
        Object outcome = failure instanceof StoreUnavailableException
                ? WaitFailures.unreachable(request.waiter, state.rules.location(), failure)
                : state.timeout(request.waiter, true, now);
        return Action.chain(state.fail(request, outcome, now), undo);
    }

    /** The timer of a pause is armed. */
    @Nullable
    Action pausing(Action.Pause pause, Scheduler.Timer timer) {
        return pause.request.pausing(pause.number, timer) ? null : new Action.Discard(timer, null);
    }

    /** The timer of a pause has run. */
    @Nullable
    Action pauseOver(Action.Pause pause, long now) {
        return pause.request.endPause(pause.number) ? state.ask(pause.request, now) : null;
    }

    /** A watch is open. A release between the refusal and the watch would go unnoticed, so the store is asked again. */
    @Nullable
    Action watched(StoreRequest request, WatchableStore.Watch watch, long now) {
        return request.watched(watch) ? hinted(request, now) : new Action.Discard(null, watch);
    }

    /** The store hinted that the name may be free. */
    @Nullable
    Action hinted(StoreRequest request, long now) {
        return request.hinted() ? state.ask(request, now) : null;
    }

    /** Something that a request needs could not be made: the request fails with it (L13). */
    @Nullable
    Action unable(StoreRequest request, Throwable why, long now) {
        return request.phase == Phase.OVER ? null : state.fail(request, why, now);
    }
}
