package io.holdfast.engine.queue;

import static io.holdfast.engine.queue.QueueRules.Waiting.PULL;
import static io.holdfast.engine.queue.QueueRules.Waiting.QUEUE;
import static io.holdfast.engine.queue.QueueRules.Waiting.WATCH;

import io.holdfast.Mode;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.GrantOwner;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.queue.StoreRequest.Phase;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Ticket;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one name in one client, as a pure state machine: threads and futures wait here in the order of their
 * arrival, and one of them at a time contends at the store.
 *
 * <p><b>Pure.</b> A transition changes the state and returns what is to be done, as a chain of {@link Action}s. There is
 * no I/O, clock, randomness, thread, callback or logging in it. {@code now} is an input that never falls; holder ids, the
 * wall clock's lead and random pauses come back with the answers. {@link QueueRunner} holds the monitor of this object
 * during a transition and performs the actions after it.
 *
 * <p><b>State.</b> {@link Holds}: at most one exclusive grant, any number of shared ones and permits, and lost leases that
 * are not closed. {@code first}: the request that contends at the store, at most one; {@code beside}: tries for a shared
 * mode, which contend beside it. {@code line}: the waiters behind {@code first}. {@link StandBack}: until when this
 * client leaves the name to others.
 *
 * <p><b>Transitions.</b> By callers: submit, timeUp, withdraw, armed, release, close, retire. By answers of the store:
 * granted, queued, pushed, refused, failed, confirmed, cancelled, released, standBack. By what was opened: pausing,
 * pauseOver, watched, hinted. By the keeper and the collector: lost, abandoned. By a bug: broke.
 *
 * <ul>
 *   <li>I1: {@code first} is set whenever a waiter is in the line and this client has no exclusive grant.
 *   <li>I2: a waiter is in the line, or the waiter of one store request, or decided; never two of these. Its outcome is set
 *       in the transition that decides it.
 *   <li>I3: an exclusive release first looks for a waiter to which the grant may pass ({@link HeldGrant#pass}). Else the
 *       grant goes back to the store, in one call with the next request if the store has a queue; on a pull store the
 *       client then pauses before it contends again (L8); otherwise the next request waits for the answer.
 *   <li>I4: on a store without a queue nothing is asked while the client stands back: the answer of a release said that
 *       other clients wait (L21). Waiting requests pause, tries are refused.
 *   <li>I5: every ask is a claim with a fresh holder id. Only the answer to the last ask of a request counts, and only once;
 *       a grant to any other ask is released, a place of any other is cancelled (U15).
 *   <li>I6: at most one store call about a claim is under way. The next one about it is returned by the transition that
 *       takes the answer in. One exception: when the client is closed, the release of an unanswered ask follows at once
 *       (L16); the store's tombstone makes the order of the two irrelevant (L1).
 *   <li>I7: the store request belongs to the queue, not to its waiter. A waiter that gives up is replaced by the next in
 *       line if the claim serves that one as well (L9). No waiter is passed over for it.
 *   <li>I8: the queue is idle when nothing of the above is left. An idle queue stays in the client's map until {@link
 *       IdleQueues} needs its place; then it is retired, for good, and takes no request any more.
 * </ul>
 *
 * <p>Every transition is O(1), except {@link #broke}; {@link #close} fails a bounded number of requests at a time.
 */
final class LocalQueue {
    /** At least this much is left of a pushed grant when it is used (L3). */
    private static final long CONFIRM_BELOW = 200_000_000;

    /** How many requests one call of {@link #close} fails. */
    private static final int CLOSED_AT_ONCE = 64;

    private final String name;
    private final QueueRules rules;
    private final GrantOwner owner;
    private final Holds holds = new Holds();
    private final StandBack standBack = new StandBack();
    private final WaitingLine line = new WaitingLine();
    private @Nullable StoreRequest first;
    private @Nullable Set<StoreRequest> beside;
    private int spanHint = 1;
    private long latest;
    private boolean started;
    private boolean idle = true;
    private boolean retired;

    /** {@code owner} is handed to the grants and not called here. */
    LocalQueue(String name, QueueRules rules, GrantOwner owner) {
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

    // ---- Requests

    /** Takes a request in. The queue is not retired. */
    @Nullable
    Action submit(Waiter waiter, long now) {
        idle = false;
        boolean isTry = waiter.request.isTry();
        long left = isTry ? standBack.left(now) : 0;
        if (left > 0) {
            waiter.refusedFor(Text.standsBack(left), now);
            return refuse(waiter);
        }
        if (first == null && line.isEmpty() && !holds.exclusive()) {
            first = new StoreRequest(waiter);
            return ask(first, now);
        }
        if (!isTry) {
            line.add(waiter);
            return null;
        }
        if (!contendsBeside(waiter.request)) {
            return refuse(waiter);
        }
        StoreRequest direct = new StoreRequest(waiter);
        beside = beside == null ? new HashSet<>(2) : beside;
        beside.add(direct);
        return ask(direct, now);
    }

    /** The wait of a request may be over: it is decided, or it gets one I/O timeout more for its last answer. */
    @Nullable
    Action timeUp(Waiter waiter, boolean reachable, long now) {
        if (!waiter.waiting() || waiter.deadline - now > 0) {
            return null;
        }
        StoreRequest mine = waiter.storeRequest;
        boolean asking = mine != null && mine.awaitsAnswer();
        boolean pausing = mine != null && mine.phase == Phase.PAUSING;
        if (mine != null && (asking || pausing) && !mine.lastAsk() && (asking || standBack.left(now) == 0)) {
            Action more = longer(mine, now);
            return pausing ? Action.chain(more, ask(mine, now)) : more;
        }
        Ask place = mine == null ? null : mine.ask;
        Ticket ticket = mine == null ? null : mine.ticket();
        if (mine != null && mine.phase == Phase.QUEUED && !mine.lastAsk() && line.isEmpty()) {
            // The answer to the cancel decides: a store that cannot be asked is an outage, not a timeout (L14).
            mine.phase = Phase.LEAVING;
            return place == null || ticket == null ? null : Action.chain(longer(mine, now), cancel(place, ticket));
        }
        return withdraw(
                waiter,
                asking ? WaitFailures.unanswered(name, rules.location()) : timeout(waiter, reachable, now),
                now);
    }

    /** The waiter has one I/O timeout more. */
    private @Nullable Action longer(StoreRequest request, long now) {
        request.startLastAsk();
        request.waiter.deadline = now + rules.ioNanos();
        return new Action.Arm(request.waiter, rules.ioNanos());
    }

    /** The timer for the end of a future's wait is armed. */
    @Nullable
    Action armed(Waiter waiter, Scheduler.Timer timer) {
        Scheduler.Timer old = waiter.waiting() ? waiter.timer : timer;
        if (waiter.waiting()) {
            waiter.timer = timer;
        }
        return old == null ? null : new Action.Discard(old, null);
    }

    /** Takes a request out, unless it is decided. */
    @Nullable
    Action withdraw(Waiter waiter, Object outcome, long now) {
        if (!waiter.waiting()) {
            return null;
        }
        Action wake = decide(waiter, outcome);
        StoreRequest mine = waiter.storeRequest;
        Action follows = null;
        if (mine == null) {
            line.remove(waiter);
        } else {
            follows = leave(mine, now);
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

    /**
     * Fails some requests, because the client is being closed; null if none is left. What the store was asked and has not
     * answered is released (L16).
     */
    @Nullable
    Action close(RuntimeException why, long now) {
        Action chain = null;
        for (int i = 0; i < CLOSED_AT_ONCE; i++) {
            // The line first: a waiter in it would take the place of the one that contends.
            Waiter waiter = line.first();
            StoreRequest request = null;
            if (waiter == null) {
                request = first != null || beside == null || beside.isEmpty()
                        ? first
                        : beside.iterator().next();
                waiter = request == null ? null : request.waiter;
            }
            if (waiter == null) {
                break;
            }
            Ask unanswered = request != null && request.phase == Phase.ASKING ? request.ask : null;
            Action closed = withdraw(waiter, why, now);
            Claim claim = unanswered == null ? null : unanswered.claim();
            chain = Action.chain(closed, claim == null ? chain : Action.chain(new Action.Release(claim), chain));
        }
        return chain;
    }

    // ---- Answers of the store

    /** An ask was granted. */
    @Nullable
    Action granted(Ask ask, Granted grant, long now) {
        return ask.request.phase == Phase.ASKING || !ask.request.awaits(ask)
                ? granted(ask, grant, ask.wallLead, now)
                : null;
    }

    /** The store pushed a grant to a place in its queue. {@code wallLead} is the wall clock's lead at the arrival. */
    @Nullable
    Action pushed(Ask ask, Granted grant, long wallLead, long now) {
        return ask.request.phase == Phase.QUEUED || !ask.request.awaits(ask)
                ? granted(ask, grant, wallLead, now)
                : null;
    }

    private @Nullable Action granted(Ask ask, Granted grant, long wallLead, long now) {
        if (ask.settled) {
            return null;
        }
        Claim claim = ask.sentClaim();
        if (!ask.request.awaits(ask)) {
            ask.settled = true;
            return new Action.Release(claim);
        }
        long left = HeldGrant.deadline(claim, grant.term()) - now;
        if (left < leastLeft(claim, grant) || ask.request.clockMoved(ask, claim, wallLead)) {
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
        if (ask.settled) {
            return null;
        }
        Claim claim = ask.sentClaim();
        if (ask.request.awaits(ask) && result instanceof RenewResult.Renewed renewed) {
            Granted grant = new Granted(about.grant.token(), about.grant.span(), renewed.term());
            ask.wallLead = wallLead;
            if (HeldGrant.deadline(claim, grant.term()) - now > 0) {
                return establish(ask, claim, grant, now);
            }
            return Action.chain(failed(ask, WaitFailures.late(name), now), new Action.Release(claim));
        }
        return Action.chain(failed(ask, WaitFailures.unconfirmed(name, failure), now), new Action.Release(claim));
    }

    private @Nullable Action establish(Ask ask, Claim claim, Granted grant, long now) {
        ask.settled = true;
        Waiter winner = ask.request.waiter;
        HeldGrant fresh = new HeldGrant(owner, claim, winner.request, grant, now, ask.wallLead);
        LeaseHandle lease = fresh.issue(winner.owner, winner.request, now);
        holds.add(fresh, winner.owner);
        Action established = new Action.Establish(fresh, winner, grant.provisional());
        winner.decide(lease);
        established.next = Action.chain(end(ask.request), askForNext(now));
        return established;
    }

    /** The claim has a place in the store's queue. */
    @Nullable
    Action queued(Ask ask, Queued place, long now) {
        StoreRequest request = ask.request;
        if (ask.settled || (request.awaits(ask) && request.phase != Phase.ASKING)) {
            return null;
        }
        if (!request.awaits(ask)) {
            return cancel(ask, place.ticket());
        }
        request.queued(place.ticket());
        request.recovered();
        request.waiter.refusedFor(place.because(), now);
        Action longer = request.inherited() ? new Action.Extend(place.ticket(), request.remainingWait(now)) : null;
        Action given = request.lastAsk() ? withdraw(request.waiter, timeout(request.waiter, true, now), now) : null;
        Action awaits = request.awaits(ask) ? new Action.AwaitPush(ask, place.ticket()) : null;
        return Action.chain(Action.chain(given, longer), awaits);
    }

    /** The lock is not free. */
    @Nullable
    Action refused(Ask ask, Refused refused, long now) {
        StoreRequest request = ask.request;
        if (ask.settled || !request.awaits(ask)) {
            return null;
        }
        ask.settled = true;
        request.waiter.refusedFor(refused, now);
        if (!ask.note.isZero()) {
            standBack.noted(now);
        }
        request.recovered();
        if (request.waiter.request.isTry()) {
            return fail(request, Waiter.REFUSED, now);
        }
        if (request.timeIsUp(now)) {
            return fail(request, timeout(request.waiter, true, now), now);
        }
        if (request.woken()) {
            return ask(request, now);
        }
        if (rules.waiting() != WATCH) {
            return request.pause(PauseLength.afterRefusal(refused.retryAfter()), false, now);
        }
        Action pause = request.pause(PauseLength.untilHint(refused.remaining(), refused.retryAfter()), true, now);
        return request.startWatching() ? Action.chain(pause, new Action.Watch(request)) : pause;
    }

    /** The store did not answer, or something was thrown on the way to it: the outcome of the ask (L13). */
    @Nullable
    Action failed(Ask ask, Throwable why, long now) {
        if (ask.settled) {
            return null;
        }
        boolean current = ask.request.awaits(ask);
        ask.settled = true;
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
                ? Action.chain(fail(request, why, now), undo)
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
                ? WaitFailures.unreachable(request.waiter, rules.location(), failure)
                : timeout(request.waiter, true, now);
        return Action.chain(fail(request, outcome, now), undo);
    }

    /** From now on a grant to this ask is not used: the cancel releases it (U15). */
    private static Action cancel(Ask ask, Ticket ticket) {
        ask.settled = true;
        return new Action.Cancel(ask, ticket);
    }

    // ---- Pauses and hints

    /** The timer of a pause is armed. */
    @Nullable
    Action pausing(Action.Pause pause, Scheduler.Timer timer) {
        return pause.request.pausing(pause.number, timer) ? null : new Action.Discard(timer, null);
    }

    /** The timer of a pause has run. */
    @Nullable
    Action pauseOver(Action.Pause pause, long now) {
        return pause.request.endPause(pause.number) ? ask(pause.request, now) : null;
    }

    /** A watch is open. A release between the refusal and the watch would go unnoticed, so the store is asked again. */
    @Nullable
    Action watched(StoreRequest request, WatchableStore.Watch watch, long now) {
        return request.watched(watch) ? hinted(request, now) : new Action.Discard(null, watch);
    }

    /** The store hinted that the name may be free. */
    @Nullable
    Action hinted(StoreRequest request, long now) {
        return request.hinted() ? ask(request, now) : null;
    }

    /** Something that a request needs could not be made: the request fails with it (L13). */
    @Nullable
    Action unable(StoreRequest request, Throwable why, long now) {
        return request.phase == Phase.OVER ? null : fail(request, why, now);
    }

    // ---- Ends of grants

    /** Whether a release of this grant looks for a waiter to pass to, and so needs the wall clock's lead. */
    boolean mayPass(LeaseHandle lease) {
        return !line.isEmpty() && holds.isExclusive(lease.grant());
    }

    /** The last handle of a lease was closed; {@code inTime} says that it was not lost before. */
    @Nullable
    Action release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer, long wallLead, long now) {
        HeldGrant ended = lease.grant();
        if (!inTime) {
            answer.prepare(false, false);
            holds.forget(lease);
            noteIfIdle();
            return new Action.End(ended, answer);
        }
        Waiter heir = mayPass(lease) ? pass(ended, wallLead, now) : null;
        if (heir != null) {
            return new Action.Pass(ended, heir, answer);
        }
        boolean held = ended.startRelease();
        holds.remove(ended);
        spanHint = ended.nextSpan();
        StoreRequest next = nextRequest();
        if (next == null) {
            answer.prepare(held, false);
            noteIfIdle();
            return new Action.End(ended, answer);
        }
        if (rules.waiting() == QUEUE && held) {
            answer.prepare(true, false);
            return new Action.Exchange(ended, answer, next.startAsk(span(next), Duration.ZERO, now));
        }
        if (rules.waiting() == PULL) {
            answer.prepare(held, false);
            return Action.chain(new Action.End(ended, answer), next.pause(PauseLength.random(), false, now));
        }
        answer.prepare(held, true);
        next.waitBehind(ended);
        return new Action.End(ended, answer);
    }

    /** The hand-off (U14): the first in line gets the next lease of the grant, if the grant may pass to it. */
    private @Nullable Waiter pass(HeldGrant from, long wallLead, long now) {
        Waiter heir = line.first();
        if (heir == null) {
            return null;
        }
        LeaseHandle passed = from.pass(heir.owner, heir.request, now, wallLead, rules.handoffNanos());
        if (passed == null) {
            return null;
        }
        line.poll();
        heir.handOff(passed);
        return heir;
    }

    /** A release was answered, or will not be. */
    @Nullable
    Action released(HeldGrant ended, long now) {
        return first != null && first.waitsBehind(ended) ? ask(first, now) : null;
    }

    /** Other clients wait for the name: this one claims nothing here for so long (L21). */
    void standBack(Duration howLong, long now) {
        standBack.begin(howLong, now);
    }

    /** A grant was lost. {@code reminder} is kept until its lease is closed or out of the program's reach. */
    @Nullable
    Action lost(HeldGrant ended, LeaseHandle lease, LostLease reminder, long now) {
        holds.remove(ended);
        if (lease.thread() != null && lease.mode() != Mode.PERMIT) {
            holds.remember(reminder);
        }
        Action next = askForNext(now);
        noteIfIdle();
        return next;
    }

    /** The program cannot reach a lost lease any more. */
    void abandoned(LostLease reminder) {
        holds.forget(reminder);
        noteIfIdle();
    }

    // ---- The life of the queue

    /** Whether nothing is held or waited for here. A thread that holds a lease of this name reads false. */
    boolean idle() {
        return idle;
    }

    boolean retired() {
        return retired;
    }

    /** Retires the queue, unless it is in use; one that stands back is retired when it does so no more. */
    @Nullable
    Action retire(long now) {
        if (!idle || retired) {
            return null;
        }
        long left = standBack.left(now);
        if (left > 0) {
            return new Action.RetireLater(left);
        }
        retired = true;
        return new Action.Forget(null);
    }

    /** A transition has failed: the state cannot be trusted. Every request fails, every grant is lost (L13). */
    Action broke(Throwable why) {
        retired = true;
        List<StoreRequest> requests = beside == null ? new ArrayList<>(1) : new ArrayList<>(beside);
        if (first != null) {
            requests.add(first);
        }
        first = null;
        beside = null;
        Action chain = new Action.Forget(why);
        for (HeldGrant grant : holds.all()) {
            chain = new Action.Lose(grant).before(chain);
        }
        for (StoreRequest request : requests) {
            Claim claim = request.ask == null ? null : request.ask.claim();
            chain = claim == null ? chain : new Action.Release(claim).before(chain);
            Action closing = request.end();
            chain = closing == null ? chain : closing.before(chain);
            chain = request.waiter.waiting() ? decide(request.waiter, why).before(chain) : chain;
        }
        for (Waiter waiter = line.poll(); waiter != null; waiter = line.poll()) {
            chain = waiter.waiting() ? decide(waiter, why).before(chain) : chain;
        }
        return chain;
    }

    // ---- Queries

    /** The lease that is bound to this owner, also a lost one that is not closed. */
    @Nullable
    LeaseHandle leaseOf(Object holder) {
        return holds.leaseOf(holder);
    }

    /** The grants of this client. */
    List<HeldGrant> grants() {
        return holds.all();
    }

    /** Of how many permits a holder or a waiter here takes one; {@code otherwise} if there is none. */
    int permitsInUse(int otherwise) {
        int held = holds.permits();
        Request waiting = first == null ? null : first.waiter.request;
        int wanted = waiting != null && waiting.mode() == Mode.PERMIT ? waiting.permits() : otherwise;
        return held > 0 ? held : wanted;
    }

    /** Whether the answer to this ask is the one that its request waits for. */
    boolean counts(Ask ask) {
        return !ask.settled && ask.request.awaits(ask);
    }

    // ---- Parts of transitions

    /** Asks the store, unless this client has to leave the name to others for a while (L21). */
    private @Nullable Action ask(StoreRequest request, long now) {
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
    private int span(StoreRequest request) {
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

    private boolean contendsBeside(Request request) {
        return !request.exclusive()
                && !holds.exclusive()
                && line.isEmpty()
                && (first == null || first.waiter.request.mode() == request.mode());
    }

    private Action refuse(Waiter waiter) {
        Action wake = decide(waiter, Waiter.REFUSED);
        noteIfIdle();
        return wake;
    }

    private static Action decide(Waiter waiter, Object outcome) {
        waiter.decide(outcome);
        return new Action.Wake(waiter);
    }

    /** A store request ended without a grant for its waiter. */
    private @Nullable Action fail(StoreRequest request, Object outcome, long now) {
        Action wake = decide(request.waiter, outcome);
        wake.next = Action.chain(end(request), askForNext(now));
        noteIfIdle();
        return wake;
    }

    private @Nullable Action end(StoreRequest request) {
        if (first == request) {
            first = null;
        } else if (beside != null) {
            beside.remove(request);
        }
        return request.end();
    }

    private @Nullable Action askForNext(long now) {
        StoreRequest next = nextRequest();
        return next == null ? null : ask(next, now);
    }

    private @Nullable StoreRequest nextRequest() {
        Waiter next = first != null || holds.exclusive() ? null : line.poll();
        if (next == null) {
            return null;
        }
        first = new StoreRequest(next);
        return first;
    }

    /** What a waiter is told whose wait is over. */
    private Object timeout(Waiter waiter, boolean reachable, long now) {
        StoreRequest running = waiter.storeRequest != null ? waiter.storeRequest : first;
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

    private void noteIfIdle() {
        idle = first == null && line.isEmpty() && (beside == null || beside.isEmpty()) && holds.isEmpty();
        if (idle) {
            beside = null;
            spanHint = 1;
        }
    }
}
