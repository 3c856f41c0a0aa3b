package io.holdfast.engine;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockTimeoutException;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.QueueingStore;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The local queue of one name in one client: threads and futures wait here in the order of their arrival, and one of
 * them at a time contends at the store.
 *
 * <p>State: at most one exclusive {@code hold}, any number of {@code shared} ones (also permits), at most one
 * {@code contest}, and the waiters behind it. Shared tries contend beside the contest ({@code directs}).
 *
 * <ul>
 *   <li>I1: a contest runs whenever somebody waits and this client has no exclusive hold.
 *   <li>I2: a waiter is in the deque, or the waiter of a contest, or decided; never two of these.
 *   <li>I3: an exclusive release first looks for a local heir (bounded by {@link Hold#pass}); else the hold goes back to
 *       the store, in one call with the next request if the store has a queue; on a pull store the client then pauses
 *       before it contends again (L8).
 *   <li>I4: on a store without a queue nothing is asked of the store before {@code standBackUntil}: the answer of a
 *       release said that other clients wait (L21). Waiting requests pause, tries are refused.
 *   <li>I5: the queue is idle when nothing of the above is left. An idle queue stays in the client's map until
 *       {@link IdleQueues} needs its place; then it is retired and removed, for good. Whoever meets a retired queue looks
 *       up the one in the map. It is never removed while held or waited for.
 * </ul>
 *
 * <p>All state is guarded by this object's monitor; the store, callbacks and the executor are called outside of it.
 */
final class NameQueue {
    /** How often the store is told at most that this client waits for the name (L21). */
    private static final long NOTE_AGAIN = 1_000_000_000;

    final String name;
    final Env env;

    private @Nullable Hold hold;
    private @Nullable List<Hold> shared;
    private @Nullable Contest contest;
    private @Nullable ArrayDeque<Waiter> waiters;
    private @Nullable List<WeakReference<LeaseHandle>> lost;
    private int live;
    private @Nullable List<Contest> directs;
    private int spanHint = 1;

    /** Until when this client leaves the name to others; meaningless unless {@code standsBack}. */
    private long standBackUntil;

    private boolean standsBack;

    /** When the store last noted that this client waits for the name; meaningless unless {@code noted}. */
    private long notedAt;

    private boolean noted;
    private boolean idle = true;
    private boolean retired;

    NameQueue(String name, Env env) {
        this.name = name;
        this.env = env;
    }

    /**
     * Whether nobody holds or waits here. Read without the monitor: true is never a lie to the thread that has a lease of
     * this name, nor to the one that just left.
     */
    boolean idle() {
        return idle;
    }

    /** Leaves the client's map, unless it is in use again; a queue that stands back leaves when it does so no more. */
    synchronized void retire() {
        if (!idle || retired) {
            return;
        }
        long left = standBackLeft();
        if (left > 0) {
            env.scheduler.schedule(this::retire, left);
        } else {
            retired = true;
            env.queues.remove(name, this);
        }
    }

    /** A release was answered: this client claims nothing here for so long (L21); false if this queue is retired. */
    boolean standBack(Duration howLong) {
        synchronized (this) {
            if (retired) {
                return false;
            }
            long until = env.ticker.nanos() + howLong.toNanos();
            if (standBackLeft() == 0 || until - standBackUntil > 0) {
                standsBack = true;
                standBackUntil = until;
            }
        }
        keepIfIdle();
        return true;
    }

    /** Under the monitor: for how much longer this client leaves the name to others, in ns. */
    long standBackLeft() {
        if (!standsBack) {
            return 0;
        }
        long left = standBackUntil - env.ticker.nanos();
        standsBack = left > 0;
        return standsBack ? left : 0;
    }

    /** Under the monitor: whether the store has no fresh note that this client waits here (L21). */
    boolean noteDue() {
        return !noted || env.ticker.nanos() - notedAt >= NOTE_AGAIN;
    }

    /** Under the monitor: the store refused a claim with a pause and has noted it. */
    void noted() {
        noted = true;
        notedAt = env.ticker.nanos();
    }

    /** Takes a request in; false if this queue is retired. */
    boolean submit(Waiter waiter, boolean mayBlock) {
        Contest started = null;
        boolean refused = false;
        synchronized (this) {
            if (retired) {
                return false;
            }
            idle = false;
            boolean free = hold == null && contest == null && live == 0;
            long standBack = waiter.request.isTry() ? standBackLeft() : 0;
            if (standBack > 0) {
                waiter.refusedFor(Text.standsBack(standBack), env.ticker.nanos());
                waiter.decide(Waiter.REFUSED);
                refused = true;
                noteIfIdle();
            } else if (free) {
                started = new Contest(this, waiter);
                contest = started;
            } else if (!waiter.request.isTry()) {
                append(waiter);
            } else if (contendsBeside(waiter.request)) {
                started = new Contest(this, waiter);
                directs = directs == null ? new ArrayList<>(2) : directs;
                directs.add(started);
            } else {
                waiter.decide(Waiter.REFUSED);
                refused = true;
            }
        }
        if (started != null) {
            ask(started, mayBlock);
        }
        if (refused) {
            deliver(waiter, false);
        }
        return true;
    }

    /** A contest that was begun is asked for or over, whatever is thrown on the way to it (L13). */
    private static void ask(Contest started, boolean mayBlock) {
        try {
            started.ask(mayBlock);
        } catch (Throwable e) {
            // For example a stack that has no room left for the handler further in.
            started.broke(e);
        }
    }

    /** Of how many permits a holder or a waiter here takes one; {@code otherwise} if there is none. */
    synchronized int permitsInUse(int otherwise) {
        for (Hold each : shared == null ? List.<Hold>of() : shared) {
            if (each.claim.mode() == Mode.PERMIT) {
                return each.claim.permits();
            }
        }
        Request waiting = contest == null ? null : contest.waiter.request;
        return waiting != null && waiting.mode() == Mode.PERMIT ? waiting.permits() : otherwise;
    }

    /** The lease that this thread already has on this name, entered once more; null if it has none. */
    @Nullable
    Lease reenter(Request request, Thread thread) {
        LeaseHandle outer;
        synchronized (this) {
            outer = boundTo(thread);
        }
        if (outer == null || outer.state() == LeaseState.RELEASED) {
            return null;
        }
        outer.ensureValid();
        if (outer.mode() == Mode.SHARED && request.exclusive()) {
            throw new IllegalStateException("this thread holds lock '" + name
                    + "' in shared mode and cannot take it in exclusive mode: release the shared lease first");
        }
        return outer.enter(thread) ? new ReentrantLease(outer, env) : null;
    }

    /** The wait is over. True if the request is decided now; else it has one I/O timeout more for its last answer. */
    boolean timeUp(Waiter waiter, boolean mayBlock) {
        Contest last = null;
        Contest leaves = null;
        Object outcome = null;
        synchronized (this) {
            long now = env.ticker.nanos();
            if (!waiter.waiting()) {
                return true;
            }
            Contest mine = waiter.contest;
            boolean asking = mine != null
                    && (mine.phase == Contest.Phase.ASKING
                            || mine.phase == Contest.Phase.CONFIRMING
                            || mine.phase == Contest.Phase.LEAVING);
            boolean pausing = mine != null && mine.phase == Contest.Phase.PAUSING;
            if (waiter.deadline - now > 0) {
                return false;
            }
            boolean standsBackNow = pausing && standBackLeft() > 0;
            if (mine != null && (asking || pausing) && !mine.lastAsk() && !standsBackNow) {
                mine.startLastAsk();
                waiter.deadline = now + env.ioNanos;
                armTimer(waiter, env.ioNanos);
                last = pausing && mine.resume() ? mine : null;
            } else if (mine != null && firstLive() == null && mine.startLeaving()) {
                leaves = mine;
                waiter.deadline = now + env.ioNanos;
                armTimer(waiter, env.ioNanos);
            } else {
                outcome = asking ? unanswered() : timeout(waiter);
            }
        }
        if (outcome != null) {
            withdraw(waiter, outcome);
            return true;
        }
        if (last != null) {
            last.ask(mayBlock);
        }
        if (leaves != null) {
            leaves.leave();
        }
        return !waiter.waiting();
    }

    /** The wait is over and the store has just said that others are first. */
    void giveUp(Waiter waiter) {
        Object outcome;
        synchronized (this) {
            outcome = timeout(waiter);
        }
        withdraw(waiter, outcome);
    }

    /** Takes a request out; false if it was decided before. */
    boolean withdraw(Waiter waiter, Object outcome) {
        return withdraw(waiter, outcome, false);
    }

    /** {@code closing} says that the client will not hear the store's answer to what it asked last. */
    private boolean withdraw(Waiter waiter, Object outcome, boolean closing) {
        Runnable undo = null;
        Contest next = null;
        Claim unanswered = null;
        synchronized (this) {
            if (!waiter.waiting()) {
                return false;
            }
            waiter.decide(outcome);
            Contest mine = waiter.contest;
            if (mine == null) {
                live--;
                purge();
            } else {
                boolean direct = mine != contest;
                unanswered = closing ? mine.underWay() : null;
                undo = mine.replaceWaiter(direct ? null : firstLive());
                if (mine.phase == Contest.Phase.OVER) {
                    finished(mine);
                    next = nextContest();
                } else {
                    pollLive();
                }
            }
            noteIfIdle();
        }
        if (undo != null) {
            undo.run();
        }
        if (unanswered != null) {
            env.late().release(unanswered);
        }
        if (next != null) {
            next.ask(false);
        }
        deliver(waiter, false);
        return true;
    }

    /** Fails all requests; the client is being closed. What the store was asked and did not answer is released (L16). */
    void close(RuntimeException why) {
        List<Waiter> all = new ArrayList<>();
        synchronized (this) {
            if (waiters != null) {
                waiters.stream().filter(Waiter::waiting).forEach(all::add);
            }
            if (contest != null) {
                all.add(contest.waiter);
            }
            if (directs != null) {
                directs.forEach(direct -> all.add(direct.waiter));
            }
        }
        all.forEach(waiter -> withdraw(waiter, why, true));
    }

    /** Arms the end of the wait of a request that no thread waits for. */
    synchronized void armTimer(Waiter waiter, long nanos) {
        Waiter.Pending pending = waiter.pending();
        if (pending != null && waiter.waiting() && waiter.request.waitNanos() != Request.FOREVER) {
            pending.timer = env.scheduler.schedule(() -> timeUp(waiter, false), nanos);
        }
    }

    /** Under the monitor: the contest was granted. Returns the contest that starts next. */
    @Nullable
    Contest establish(Contest won, Claim claim, Granted grant, long now, long wallLead) {
        Waiter winner = won.waiter;
        Hold fresh = new Hold(this, claim, winner.request, grant, now, wallLead);
        LeaseHandle lease = fresh.issue(winner, now);
        if (claim.mode() == Mode.EXCLUSIVE) {
            hold = fresh;
        } else {
            shared = shared == null ? new ArrayList<>() : shared;
            shared.add(fresh);
        }
        finished(won);
        winner.decide(lease);
        env.keeper().add(fresh, grant.provisional());
        return nextContest();
    }

    /** Under the monitor: the contest ended without a grant for its waiter. Returns the contest that starts next. */
    @Nullable
    Contest failed(Contest over, Object outcome) {
        Waiter waiter = over.waiter;
        waiter.decide(outcome);
        finished(over);
        Contest next = nextContest();
        noteIfIdle();
        return next;
    }

    /** Under the monitor: what a waiter is told whose wait is over. */
    Object timeout(Waiter waiter) {
        Contest running = waiter.contest != null ? waiter.contest : contest;
        if (running != null && running.failure() instanceof StoreUnavailableException unavailable) {
            return unavailable;
        }
        if (running != null && hold == null && env.unreachable()) {
            return unreachable(waiter, null);
        }
        Waiter refused = running == null ? waiter : running.waiter;
        Hold own = hold;
        long now = env.ticker.nanos();
        String obstacle = own != null
                ? "; held by this client (" + own.claim.label() + ") and " + live + " wait here"
                : refused.obstacle(now);
        return new LockTimeoutException(
                "lock '" + name + "' was not obtained within " + Text.nanos(waiter.request.waitNanos()) + obstacle
                        + " (store " + env.info.location() + ")",
                name,
                own != null ? null : refused.holder(now),
                own != null ? null : refused.remaining(now));
    }

    /** The store could not be asked when the wait was over (L14). */
    StoreUnavailableException unreachable(Waiter waiter, @Nullable Throwable cause) {
        return new StoreUnavailableException(
                "lock '" + name + "' was not obtained within " + Text.nanos(waiter.request.waitNanos()) + ": store "
                        + env.info.location() + " cannot be reached"
                        + (cause == null ? "" : " (" + cause.getMessage() + ")"),
                false,
                cause);
    }

    private Object unanswered() {
        return new StoreUnavailableException(
                "store " + env.info.location() + " did not answer the request for lock '" + name
                        + "' within its I/O timeout; whatever it granted is being released",
                true,
                null);
    }

    /** The last handle of a lease was closed. {@code inTime} says that it was not lost before. */
    void release(LeaseHandle lease, boolean inTime, boolean mayBlock, ReleaseCall call) {
        Hold ended = lease.hold;
        Waiter heir = null;
        Contest next = null;
        Claim nextClaim = null;
        boolean held = inTime;
        synchronized (this) {
            if (inTime) {
                heir = pass(ended);
            } else {
                forget(lease);
            }
            if (inTime && heir == null) {
                held = ended.startRelease();
                env.keeper().remove(ended);
                drop(ended);
                spanHint = ended.nextSpan();
                next = nextContest();
                if (next != null && env.queueing != null && held) {
                    nextClaim = next.newClaim();
                } else if (next != null && env.queueing == null && env.watchable == null) {
                    next.pauseFor(env.pauseNanos());
                    next = null;
                }
            }
            noteIfIdle();
        }
        keepIfIdle();
        if (heir != null) {
            deliver(heir, true);
            call.accept(ReleaseOutcome.RELEASED);
            return;
        }
        call.prepare(held, next);
        if (!ended.sendsRenewal() || !deferred(ended, call, nextClaim)) {
            send(ended.claim, call, nextClaim, mayBlock);
        }
    }

    /** A renewal of the same hold is being sent at this moment: the release follows it. */
    private boolean deferred(Hold ended, ReleaseCall call, @Nullable Claim nextClaim) {
        return ended.afterRenewal(() -> send(ended.claim, call, nextClaim, false));
    }

    private void send(Claim old, ReleaseCall call, @Nullable Claim nextClaim, boolean mayBlock) {
        Contest next = call.next();
        if (nextClaim != null && next != null) {
            exchange(old, call.prepare(true, null), next, nextClaim, mayBlock);
        } else {
            env.late().release(old, mayBlock, call);
        }
    }

    /** A hold of this name was lost. */
    void lost(Hold ended, @Nullable LeaseHandle lease) {
        Contest next;
        synchronized (this) {
            drop(ended);
            if (lease != null && lease.thread() != null && lease.mode() != Mode.PERMIT) {
                lost = lost == null ? new ArrayList<>(1) : lost;
                lost.add(new WeakReference<>(lease));
            }
            next = nextContest();
            noteIfIdle();
        }
        keepIfIdle();
        if (next != null) {
            next.ask(false);
        }
    }

    /**
     * Under the monitor: how many tokens the next claim should reserve (U6). Those who wait now, or as many as the last
     * turn used: in a hot queue everybody may be between two locks when the claim is made, and back when it is granted.
     * A queue that was idle starts with one.
     */
    int spanWanted(Request request) {
        if (!request.exclusive() || !request.renewal()) {
            return 1;
        }
        return Math.min(Math.max(live + 1, spanHint), request.handoffs() + 1);
    }

    /** Gives the hold back and asks for the next waiter in one call (U5, U15). */
    private void exchange(Claim old, ReleaseCall call, Contest next, Claim nextClaim, boolean mayBlock) {
        QueueingStore queueing = env.queueing;
        if (queueing == null) {
            throw new IllegalStateException("only a queueing store exchanges");
        }
        Duration wait = Duration.ofNanos(Math.max(0, next.waiter.deadline - env.ticker.nanos()));
        env.call(mayBlock, () -> queueing.exchange(old, nextClaim, wait), (exchanged, failure) -> {
            if (exchanged != null) {
                call.accept(LateReleases.outcome(exchanged.released()));
                next.enqueued(nextClaim, exchanged.next(), null);
            } else {
                call.accept(ReleaseOutcome.UNKNOWN);
                env.late().release(old);
                next.enqueued(nextClaim, null, failure);
            }
        });
    }

    /** Outside of the monitor, by who may have made it idle. */
    private void keepIfIdle() {
        if (idle) {
            env.idleQueues.keep(this);
        }
    }

    /** Hands a decided request its outcome, outside of the monitor. */
    void deliver(Waiter waiter, boolean handedOff) {
        keepIfIdle();
        waiter.deliver(env);
        if (env.events.any && waiter.outcome() instanceof LeaseHandle lease) {
            Duration waited = Duration.ofNanos(env.ticker.nanos() - waiter.arrived);
            env.events.tell(listener -> {
                if (handedOff) {
                    listener.onHandedOff(lease, waited);
                } else {
                    listener.onGranted(lease, waited);
                }
            });
        }
    }

    // Everything below runs under the monitor.

    private @Nullable Waiter pass(Hold from) {
        Waiter first = from == hold ? firstLive() : null;
        if (first == null) {
            return null;
        }
        long now = env.ticker.nanos();
        LeaseHandle passed = from.pass(first, now, env.handoffNanos);
        if (passed == null) {
            return null;
        }
        pollLive();
        first.decide(passed);
        env.keeper().passed(from, now);
        return first;
    }

    private boolean contendsBeside(Request request) {
        return !request.exclusive()
                && hold == null
                && live == 0
                && (contest == null || contest.waiter.request.mode() == request.mode());
    }

    private void append(Waiter waiter) {
        waiters = waiters == null ? new ArrayDeque<>() : waiters;
        waiters.addLast(waiter);
        live++;
    }

    private @Nullable Waiter firstLive() {
        if (waiters == null || live == 0) {
            return null;
        }
        Waiter first = waiters.peekFirst();
        while (first != null && !first.waiting()) {
            waiters.pollFirst();
            first = waiters.peekFirst();
        }
        return first;
    }

    private @Nullable Waiter pollLive() {
        Waiter first = firstLive();
        if (first != null && waiters != null) {
            waiters.pollFirst();
            live--;
        }
        return first;
    }

    /** Keeps the deque from filling up with those who have gone. */
    private void purge() {
        if (waiters != null && waiters.size() > 2 * live + 16) {
            waiters.removeIf(waiter -> !waiter.waiting());
        }
    }

    private @Nullable Contest nextContest() {
        if (contest != null || hold != null) {
            return null;
        }
        Waiter next = pollLive();
        if (next == null) {
            return null;
        }
        contest = new Contest(this, next);
        return contest;
    }

    private void finished(Contest over) {
        if (contest == over) {
            contest = null;
        } else if (directs != null) {
            directs.remove(over);
        }
    }

    private void drop(Hold ended) {
        if (hold == ended) {
            hold = null;
        } else if (shared != null) {
            shared.remove(ended);
        }
    }

    private void forget(@Nullable LeaseHandle lease) {
        if (lost != null) {
            lost.removeIf(reference -> reference.refersTo(lease) || reference.refersTo(null));
        }
    }

    private @Nullable LeaseHandle boundTo(Thread thread) {
        LeaseHandle exclusive = hold == null ? null : hold.lease();
        if (exclusive != null && exclusive.boundTo(thread)) {
            return exclusive;
        }
        for (Hold each : shared == null ? List.<Hold>of() : shared) {
            LeaseHandle lease = each.lease();
            if (lease != null && lease.boundTo(thread) && lease.mode() == Mode.SHARED) {
                return lease;
            }
        }
        for (WeakReference<LeaseHandle> each : lost == null ? List.<WeakReference<LeaseHandle>>of() : lost) {
            LeaseHandle lease = each.get();
            if (lease != null && lease.boundTo(thread)) {
                return lease;
            }
        }
        return null;
    }

    private void noteIfIdle() {
        forget(null);
        idle = hold == null
                && contest == null
                && live == 0
                && (directs == null || directs.isEmpty())
                && (shared == null || shared.isEmpty())
                && (lost == null || lost.isEmpty());
        if (idle) {
            waiters = null;
            shared = null;
            lost = null;
            directs = null;
            spanHint = 1;
        }
    }
}
