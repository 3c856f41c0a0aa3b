package io.holdfast.engine.queue;

import static io.holdfast.engine.queue.QueueRules.Waiting.QUEUE;

import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.GrantOwner;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.queue.StoreRequest.Phase;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link LocalQueue}, and the steps that its transitions have in common. Guarded by the queue. The state
 * knows its parts; the parts do not know the state.
 */
final class QueueState {
    final String name;
    final QueueRules rules;

    /** Handed to the grants and not called. */
    final GrantOwner owner;

    final Holds holds = new Holds();
    final StandBack standBack = new StandBack();
    final WaitingLine line = new WaitingLine();

    /** The request that contends at the store. */
    @Nullable
    StoreRequest first;

    /** Tries for a shared mode, which contend beside it. */
    @Nullable
    Set<StoreRequest> beside;

    /** How many tokens the next claim should reserve at least. */
    int spanHint = 1;

    boolean idle = true;
    boolean retired;
    private long latest;
    private boolean started;

    QueueState(String name, QueueRules rules, GrantOwner owner) {
        this.name = name;
        this.rules = rules;
        this.owner = owner;
    }

    /** The time of the next transition: a reading of the clock, or the latest one if the clock has fallen. */
    long advance(long reading) {
        latest = started && reading - latest < 0 ? latest : reading;
        started = true;
        return latest;
    }

    /** Takes a request out, unless it is decided. */
    @Nullable
    Action withdraw(Waiter waiter, Object outcome, long now) {
        if (!waiter.waiting()) {
            return null;
        }
        Action wake = decide(waiter, outcome);
        Action follows = null;
        if (waiter.position instanceof WaitingLine.Place place) {
            line.remove(place);
        } else if (waiter.position instanceof StoreRequest request) {
            follows = leave(request, now);
        }
        noteIfIdle();
        return Action.chain(wake, follows);
    }

    /** The waiter of a store request has gone: the next in line takes its place, or the request is over. */
    private @Nullable Action leave(StoreRequest request, long now) {
        Waiter next = request == first ? line.first() : null;
        Ticket ticket = request.phase == Phase.QUEUED ? request.ticket() : null;
        if (next != null && request.serves(next)) {
            line.poll();
            request.takeOver(next);
            return ticket == null ? null : new Action.Extend(ticket, request.remainingWait(now));
        }
        Action closing = end(request);
        Ask place = request.ask;
        if (ticket != null && place != null) {
            closing = Action.chain(closing, cancel(place, ticket));
        }
        return Action.chain(closing, askForNext(now));
    }

    /** From now on a grant to this ask is not used: the cancel releases it (U15). */
    static Action cancel(Ask ask, Ticket ticket) {
        ask.settle();
        return new Action.Cancel(ask, ticket);
    }

    /** Asks the store, unless this client has to leave the name to others for a while (L21). */
    @Nullable
    Action ask(StoreRequest request, long now) {
        long left = standBack.left(now);
        if (left <= 0) {
            return request.startAsk(span(request), note(request, now), now);
        }
        Waiter waiter = request.waiter;
        waiter.refusedFor(Text.standsBack(left), now);
        boolean isTry = waiter.request.isTry();
        return isTry || request.timeIsUp(now)
                ? fail(request, isTry ? Waiter.REFUSED : timeout(waiter, true, now), now)
                : request.pause(PauseLength.exactly(left), false, now);
    }

    /**
     * How many tokens the next claim should reserve (U6): for the waiters of now, or as many as the last turn used. In a
     * hot queue every thread may be between two locks when the claim is made, and back when it is granted. A queue that
     * was idle starts with one.
     */
    int span(StoreRequest request) {
        Request wanted = request.waiter.request;
        if (!wanted.exclusive() || !wanted.renewal()) {
            return 1;
        }
        return Math.min(Math.max(line.size() + 1, spanHint), wanted.handoffs() + 1);
    }

    /**
     * What a store without a queue notes if it refuses the next claim (L21). A watched name is asked about as soon as a
     * hint comes, so the usual pause is long enough for others to leave it; where no hint came, the hints may be lost, and
     * this client will be there only after its longest pause.
     */
    private Duration note(StoreRequest request, long now) {
        boolean waits = rules.waiting() != QUEUE && !request.waiter.request.isTry() && !request.lastAsk();
        if (!waits || !standBack.noteDue(now)) {
            return Duration.ZERO;
        }
        return request.unhinted() ? Claim.LONGEST_PAUSE : rules.longestPause();
    }

    boolean contendsBeside(Request request) {
        return !request.exclusive()
                && !holds.exclusive()
                && line.isEmpty()
                && (first == null || first.waiter.request.mode() == request.mode());
    }

    Action refuse(Waiter waiter) {
        Action wake = decide(waiter, Waiter.REFUSED);
        noteIfIdle();
        return wake;
    }

    static Action decide(Waiter waiter, Object outcome) {
        waiter.decide(outcome);
        return new Action.Wake(waiter);
    }

    /** A store request ended without a grant for its waiter. */
    @Nullable
    Action fail(StoreRequest request, Object outcome, long now) {
        Action wake = decide(request.waiter, outcome);
        wake.next = Action.chain(end(request), askForNext(now));
        noteIfIdle();
        return wake;
    }

    @Nullable
    Action end(StoreRequest request) {
        if (first == request) {
            first = null;
        } else if (beside != null) {
            beside.remove(request);
        }
        return request.end();
    }

    @Nullable
    Action askForNext(long now) {
        StoreRequest next = nextRequest();
        return next == null ? null : ask(next, now);
    }

    @Nullable
    StoreRequest nextRequest() {
        Waiter next = first != null || holds.exclusive() ? null : line.poll();
        if (next == null) {
            return null;
        }
        first = new StoreRequest(next);
        return first;
    }

    /** What a waiter is told whose wait is over. */
    Object timeout(Waiter waiter, boolean reachable, long now) {
        StoreRequest mine = waiter.storeRequest();
        StoreRequest running = mine != null ? mine : first;
        if (running != null && running.failure() instanceof StoreUnavailableException unavailable) {
            return unavailable;
        }
        HeldGrant own = holds.exclusiveGrant();
        if (running != null && own == null && !reachable) {
            return WaitFailures.unreachable(waiter, rules.location(), null);
        }
        Obstacle obstacle = (running == null ? waiter : running.waiter).obstacle();
        return WaitFailures.timeout(waiter, obstacle, own, line.size(), rules.location(), now);
    }

    void noteIfIdle() {
        idle = first == null && line.isEmpty() && (beside == null || beside.isEmpty()) && holds.isEmpty();
        if (idle) {
            beside = null;
            spanHint = 1;
        }
    }
}
