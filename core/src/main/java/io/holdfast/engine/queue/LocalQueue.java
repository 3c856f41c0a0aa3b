package io.holdfast.engine.queue;

import static io.holdfast.engine.queue.QueueRules.Waiting.PULL;
import static io.holdfast.engine.queue.QueueRules.Waiting.QUEUE;

import io.holdfast.Mode;
import io.holdfast.Scheduler;
import io.holdfast.engine.lease.GrantOwner;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.queue.StoreRequest.Phase;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
    /** How many requests one call of {@link #close} fails. */
    private static final int CLOSED_AT_ONCE = 64;

    private final QueueState state;
    private final StoreAnswers answers;

    /** {@code owner} is handed to the grants and not called here. */
    LocalQueue(String name, QueueRules rules, GrantOwner owner) {
        this.state = new QueueState(name, rules, owner);
        this.answers = new StoreAnswers(state);
    }

    /** The transitions that take answers of the store in. */
    StoreAnswers answers() {
        return answers;
    }

    /** The time of the next transition: a reading of the clock, or the latest one if the clock has fallen. */
    long advance(long reading) {
        return state.advance(reading);
    }

    // ---- Requests

    /** Takes a request in. The queue is not retired. */
    @Nullable
    Action submit(Waiter waiter, long now) {
        state.idle = false;
        boolean isTry = waiter.request.isTry();
        long left = isTry ? state.standBack.left(now) : 0;
        if (left > 0) {
            waiter.refusedFor(Text.standsBack(left), now);
            return state.refuse(waiter);
        }
        if (state.first == null && state.line.isEmpty() && !state.holds.exclusive()) {
            state.first = new StoreRequest(waiter);
            return state.ask(state.first, now);
        }
        if (!isTry) {
            state.line.add(waiter);
            return null;
        }
        if (!state.contendsBeside(waiter.request)) {
            return state.refuse(waiter);
        }
        StoreRequest direct = new StoreRequest(waiter);
        state.beside = state.beside == null ? new LinkedHashSet<>(2) : state.beside;
        state.beside.add(direct);
        return state.ask(direct, now);
    }

    /** The wait of a request may be over: it is decided, or it gets one I/O timeout more for its last answer. */
    @Nullable
    Action timeUp(Waiter waiter, boolean reachable, long now) {
        if (!waiter.waiting() || waiter.deadline - now > 0) {
            return null;
        }
        StoreRequest mine = waiter.storeRequest();
        boolean asking = mine != null && mine.awaitsAnswer();
        boolean pausing = mine != null && mine.phase == Phase.PAUSING;
        if (mine != null && (asking || pausing) && !mine.lastAsk() && (asking || state.standBack.left(now) == 0)) {
            Action more = longer(mine, now);
            return pausing ? Action.chain(more, state.ask(mine, now)) : more;
        }
        Ask place = mine == null ? null : mine.ask;
        Ticket ticket = mine == null ? null : mine.ticket();
        if (mine != null && mine.phase == Phase.QUEUED && !mine.lastAsk() && state.line.isEmpty()) {
            // The answer to the cancel decides: a store that cannot be asked is an outage, not a timeout (L14).
            mine.phase = Phase.LEAVING;
            return place == null || ticket == null
                    ? null
                    : Action.chain(longer(mine, now), QueueState.cancel(place, ticket));
        }
        return state.withdraw(
                waiter,
                asking
                        ? WaitFailures.unanswered(state.name, state.rules.location())
                        : state.timeout(waiter, reachable, now),
                now);
    }

    /** The waiter has one I/O timeout more. */
    private @Nullable Action longer(StoreRequest request, long now) {
        request.startLastAsk();
        request.waiter.deadline = now + state.rules.ioNanos();
        return new Action.Arm(request.waiter, state.rules.ioNanos());
    }

    /** The timer for the end of a future's wait is armed. */
    @Nullable
    Action armed(Waiter waiter, Scheduler.Timer timer) {
        Scheduler.Timer unwanted = waiter.waiting() ? waiter.replaceTimer(timer) : timer;
        return unwanted == null ? null : new Action.Discard(unwanted, null);
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
            Waiter waiter = state.line.first();
            StoreRequest request = null;
            if (waiter == null) {
                request = state.first != null || state.beside == null || state.beside.isEmpty()
                        ? state.first
                        : state.beside.iterator().next();
                waiter = request == null ? null : request.waiter;
            }
            if (waiter == null) {
                break;
            }
            Ask unanswered = request != null && request.phase == Phase.ASKING ? request.ask : null;
            Action closed = state.withdraw(waiter, why, now);
            Claim claim = unanswered == null ? null : unanswered.claim();
            chain = Action.chain(closed, claim == null ? chain : Action.chain(new Action.Release(claim), chain));
        }
        return chain;
    }

    /** Takes a request out, unless it is decided. */
    @Nullable
    Action withdraw(Waiter waiter, Object outcome, long now) {
        return state.withdraw(waiter, outcome, now);
    }

    // ---- Ends of grants

    /** Whether a release of this grant looks for a waiter to pass to, and so needs the wall clock's lead. */
    boolean mayPass(LeaseHandle lease) {
        return !state.line.isEmpty() && state.holds.isExclusive(lease.grant());
    }

    /** The last handle of a lease was closed; {@code inTime} says that it was not lost before. */
    @Nullable
    Action release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer, long wallLead, long now) {
        HeldGrant ended = lease.grant();
        if (!inTime) {
            state.holds.forget(lease);
            state.noteIfIdle();
            return new Action.End(answer, false, false);
        }
        Waiter heir = mayPass(lease) ? pass(ended, wallLead, now) : null;
        if (heir != null) {
            return new Action.Pass(ended, heir, answer);
        }
        boolean held = ended.startRelease();
        state.holds.remove(ended);
        state.spanHint = ended.nextSpan();
        StoreRequest next = state.nextRequest();
        if (next == null) {
            state.noteIfIdle();
            return new Action.End(answer, held, false);
        }
        if (state.rules.waiting() == QUEUE && held) {
            return new Action.Exchange(ended, answer, next.startAsk(state.span(next), Duration.ZERO, now));
        }
        if (state.rules.waiting() == PULL) {
            Action end = new Action.End(answer, held, false);
            return end.before(next.pause(PauseLength.random(), false, now));
        }
        next.waitBehind(ended);
        return new Action.End(answer, held, true);
    }

    /** The hand-off (U14): the first in line gets the next lease of the grant, if the grant may pass to it. */
    private @Nullable Waiter pass(HeldGrant from, long wallLead, long now) {
        Waiter heir = state.line.first();
        if (heir == null) {
            return null;
        }
        LeaseHandle passed = from.pass(heir.owner, heir.request, now, wallLead, state.rules.handoffNanos());
        if (passed == null) {
            return null;
        }
        state.line.poll();
        heir.decide(passed);
        return heir;
    }

    /** A release was answered, or will not be. */
    @Nullable
    Action released(HeldGrant ended, long now) {
        return state.first != null && state.first.waitsBehind(ended) ? state.ask(state.first, now) : null;
    }

    /** Other clients wait for the name: this one claims nothing here for so long (L21). */
    void standBack(Duration howLong, long now) {
        state.standBack.begin(howLong, now);
    }

    /** A grant was lost. {@code reminder} is kept until its lease is closed or out of the program's reach. */
    @Nullable
    Action lost(HeldGrant ended, LeaseHandle lease, LostLease reminder, long now) {
        state.holds.remove(ended);
        if (lease.thread() != null && lease.mode() != Mode.PERMIT) {
            state.holds.remember(reminder);
        }
        Action next = state.askForNext(now);
        state.noteIfIdle();
        return next;
    }

    /** The program cannot reach a lost lease any more. */
    void abandoned(LostLease reminder) {
        state.holds.forget(reminder);
        state.noteIfIdle();
    }

    // ---- The life of the queue

    /** Whether nothing is held or waited for here. A thread that holds a lease of this name reads false. */
    boolean idle() {
        return state.idle;
    }

    boolean retired() {
        return state.retired;
    }

    /** Retires the queue, unless it is in use; one that stands back is retired when it does so no more. */
    @Nullable
    Action retire(long now) {
        if (!state.idle || state.retired) {
            return null;
        }
        long left = state.standBack.left(now);
        if (left > 0) {
            return new Action.RetireLater(left);
        }
        state.retired = true;
        return new Action.Forget(null);
    }

    /** A transition has failed: the state cannot be trusted. Every request fails, every grant is lost (L13). */
    Action broke(Throwable why) {
        state.retired = true;
        List<StoreRequest> requests = state.beside == null ? new ArrayList<>(1) : new ArrayList<>(state.beside);
        if (state.first != null) {
            requests.add(state.first);
        }
        state.first = null;
        state.beside = null;
        Action chain = new Action.Forget(why);
        for (HeldGrant grant : state.holds.all()) {
            chain = new Action.Lose(grant).before(chain);
        }
        for (StoreRequest request : requests) {
            Claim claim = request.ask == null ? null : request.ask.claim();
            chain = claim == null ? chain : new Action.Release(claim).before(chain);
            Action closing = request.end();
            chain = closing == null ? chain : closing.before(chain);
            chain = request.waiter.waiting()
                    ? QueueState.decide(request.waiter, why).before(chain)
                    : chain;
        }
        for (Waiter waiter = state.line.poll(); waiter != null; waiter = state.line.poll()) {
            chain = waiter.waiting() ? QueueState.decide(waiter, why).before(chain) : chain;
        }
        return chain;
    }

    // ---- Queries

    /** For tests of the invariants. */
    QueueState state() {
        return state;
    }

    /** The lease that is bound to this owner, also a lost one that is not closed. */
    @Nullable
    LeaseHandle leaseOf(Object holder) {
        return state.holds.leaseOf(holder);
    }

    /** The grants of this client. */
    List<HeldGrant> grants() {
        return state.holds.all();
    }

    /** Of how many permits a holder or a waiter here takes one; {@code otherwise} if there is none. */
    int permitsInUse(int otherwise) {
        int held = state.holds.permits();
        Request waiting = state.first == null ? null : state.first.waiter.request;
        int wanted = waiting != null && waiting.mode() == Mode.PERMIT ? waiting.permits() : otherwise;
        return held > 0 ? held : wanted;
    }
}
