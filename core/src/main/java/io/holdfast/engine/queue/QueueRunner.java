package io.holdfast.engine.queue;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.GrantOwner;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.LeaseKeeper;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the queue of one name: takes its monitor, applies a transition, leaves the monitor and performs the actions.
 *
 * <ul>
 *   <li>R1: the clock is read inside the monitor, so a transition never sees an older time than the one before it.
 *   <li>R2: nothing but a transition happens inside the monitor: no store call, timer, callback or log line.
 *   <li>R3: actions are performed in a loop, not by recursion. An answer that is known at once is applied at once, and
 *       what follows from it is performed after what is in hand. An answer that arrives on a thread whose loop runs is
 *       left to that loop ({@link WorkLists}). A call of the application runs a loop of its own: it may wait for what it
 *       starts.
 *   <li>R4: no order between the chains of two threads is assumed. {@link LocalQueue} returns the next store call about a
 *       claim only when the one before it was answered.
 *   <li>R5: whatever an action throws is the failure of that action (L13). Whatever a transition throws retires the queue
 *       and fails everything in it.
 *   <li>R6: store calls are counted inside the monitor, so that {@code close()} of the client sees those that are decided
 *       and not sent yet.
 * </ul>
 *
 * <p>{@link Performer} does what an action asks for. It hands the answers to the methods of this class.
 */
public final class QueueRunner implements GrantOwner {
    private final String name;
    private final Queues queues;
    private final RunnerParts parts;
    private final LocalQueue queue;
    private final Performer performer;

    QueueRunner(String name, Queues queues) {
        this.name = name;
        this.queues = queues;
        this.parts = queues.parts();
        this.queue = new LocalQueue(name, queues.rules(), this);
        this.performer = new Performer(this, parts);
    }

    String name() {
        return name;
    }

    @Override
    public LeaseKeeper keeper() {
        return parts.keeper();
    }

    // ---- Calls of the application

    /** Takes a request in; false if this queue is retired. */
    public boolean submit(Waiter waiter) {
        Action chain;
        synchronized (queue) {
            if (queue.retired()) {
                return false;
            }
            try {
                chain = counted(queue.submit(waiter, now()));
            } catch (Throwable e) {
                chain = broke(e);
            }
        }
        run(chain);
        return true;
    }

    /**
     * Waits on the calling thread, which owns the request, until it is decided. Returns whether the thread was
     * interrupted meanwhile; an interrupt withdraws an interruptible request.
     */
    public boolean await(Waiter waiter, boolean interruptibly) {
        ClientTime time = parts.time();
        boolean interrupted = false;
        while (waiter.waiting()) {
            if (Thread.interrupted()) {
                interrupted = true;
                if (interruptibly && withdraw(waiter, Waiter.REFUSED)) {
                    break;
                }
            }
            long left = waiter.deadline - time.nanos();
            if (left <= 0) {
                run(timeUp(waiter));
            } else {
                time.park(left);
            }
        }
        announce(waiter);
        return interrupted;
    }

    /** Arms the end of the wait of a request that no thread waits for. */
    public void limitWait(Waiter waiter) {
        run(new Action.Arm(waiter, waiter.request.waitNanos()));
    }

    /** Takes a request out; false if it was decided before. */
    public boolean withdraw(Waiter waiter, Object outcome) {
        Action chain = apply(now -> queue.withdraw(waiter, outcome, now));
        run(chain);
        return chain != null;
    }

    /** The lease that this thread already has on this name, entered once more; null if it has none. */
    public @Nullable Lease reenter(Request request, Thread thread) {
        LeaseHandle outer;
        synchronized (queue) {
            outer = queue.leaseOf(thread);
        }
        if (outer == null || outer.state() == LeaseState.RELEASED) {
            return null;
        }
        outer.ensureValid();
        if (outer.mode() == Mode.SHARED && request.exclusive()) {
            throw new IllegalStateException("this thread holds lock '" + name
                    + "' in shared mode and cannot take it in exclusive mode: release the shared lease first");
        }
        return outer.enter(thread);
    }

    /** Of how many permits a holder or a waiter here takes one; {@code otherwise} if there is none. */
    public int permitsInUse(int otherwise) {
        synchronized (queue) {
            return queue.permitsInUse(otherwise);
        }
    }

    /** What a request is told that was not to wait and throws. */
    public RuntimeException notFree(Waiter waiter) {
        return WaitFailures.notFree(
                waiter, parts.calls().info().location(), parts.time().nanos());
    }

    @Override
    public void release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer) {
        Action chain;
        boolean broken = false;
        synchronized (queue) {
            try {
                long lead = inTime && queue.mayPass(lease) ? parts.time().wallLead() : 0;
                chain = counted(queue.release(lease, inTime, answer, lead, now()));
            } catch (Throwable e) {
                chain = broke(e);
                broken = true;
            }
        }
        run(chain);
        if (broken) {
            answer.found(ReleaseOutcome.UNKNOWN, inTime);
        }
    }

    /** Fails all requests: the client is being closed, or was closed when the last one came. */
    public void close(RuntimeException why) {
        Action chain;
        do {
            chain = apply(now -> queue.close(why, now));
            run(chain);
        } while (chain != null);
    }

    // ---- Events

    /** The store answered an ask, or failed. */
    @Nullable
    Action answered(Ask ask, @Nullable Object result, @Nullable Throwable failure) {
        if (result != null) {
            parts.calls().reached();
        }
        Action chain;
        boolean counts = false;
        synchronized (queue) {
            try {
                long now = now();
                counts = queue.answers().counts(ask);
                if (result instanceof Granted grant) {
                    chain = counted(queue.answers().granted(ask, grant, now));
                } else if (result instanceof Queued place) {
                    chain = counted(queue.answers().queued(ask, place, now));
                } else if (result instanceof Refused refused) {
                    chain = counted(queue.answers().refused(ask, refused, now));
                } else {
                    chain = counted(queue.answers().failed(ask, failure == null ? nothing() : failure, now));
                }
            } catch (Throwable e) {
                chain = broke(e);
            }
        }
        parts.calls().unfinished().end();
        if (counts && parts.events().any() && !(result instanceof Granted)) {
            tellRefused(ask, result);
        }
        return chain;
    }

    /** The store pushed a grant to a place in its queue, or the place was lost. */
    @Nullable
    Action pushed(Ask ask, @Nullable Granted grant, @Nullable Throwable failure) {
        if (grant == null) {
            return apply(now -> queue.answers().failed(ask, failure == null ? nothing() : failure, now));
        }
        long lead = parts.time().wallLead();
        return apply(now -> queue.answers().pushed(ask, grant, lead, now));
    }

    @Nullable
    Action confirmed(
            Action.Confirm about, @Nullable List<RenewResult> results, @Nullable Throwable failure, long wallLead) {
        RenewResult result = results == null || results.isEmpty() ? null : results.get(0);
        Action chain = apply(now -> queue.answers().confirmed(about, result, failure, wallLead, now));
        parts.calls().unfinished().end();
        return chain;
    }

    @Nullable
    Action cancelled(Ask ask, @Nullable ReleaseResult result, @Nullable Throwable failure) {
        Action chain = apply(now -> queue.answers().cancelled(ask, result, failure, now));
        parts.calls().unfinished().end();
        return chain;
    }

    @Nullable
    Action pausing(Action.Pause pause, Scheduler.Timer timer) {
        return apply(now -> queue.answers().pausing(pause, timer));
    }

    @Nullable
    Action pauseOver(Action.Pause pause) {
        return apply(now -> queue.answers().pauseOver(pause, now));
    }

    @Nullable
    Action watched(StoreRequest request, io.holdfast.spi.WatchableStore.Watch watch) {
        return apply(now -> queue.answers().watched(request, watch, now));
    }

    @Nullable
    Action hinted(StoreRequest request) {
        return apply(now -> queue.answers().hinted(request, now));
    }

    @Nullable
    Action unable(StoreRequest request, Throwable why) {
        return apply(now -> queue.answers().unable(request, why, now));
    }

    @Nullable
    Action armed(Waiter waiter, Scheduler.Timer timer) {
        return apply(now -> queue.armed(waiter, timer));
    }

    @Nullable
    Action timeUp(Waiter waiter) {
        boolean reachable = !parts.calls().unreachable();
        return apply(now -> queue.timeUp(waiter, reachable, now));
    }

    @Nullable
    Action withdrawn(Waiter waiter, Throwable why) {
        return apply(now -> queue.withdraw(waiter, why, now));
    }

    @Override
    public void released(HeldGrant grant) {
        follow(apply(now -> queue.released(grant, now)));
    }

    /** Also on a thread of the application that looks at its lease: a loop of its own. */
    @Override
    public void lost(HeldGrant grant, LeaseHandle lease) {
        LostLease reminder = new LostLease(lease, queues.collected(), this::abandoned);
        run(apply(now -> queue.lost(grant, lease, reminder, now)));
        keepIfIdle();
    }

    void abandoned(LostLease lease) {
        synchronized (queue) {
            queue.abandoned(lease);
        }
        keepIfIdle();
    }

    /** This client claims nothing here for so long (L21); false if this queue is retired. */
    boolean standBack(Duration howLong) {
        synchronized (queue) {
            if (queue.retired()) {
                return false;
            }
            queue.standBack(howLong, now());
        }
        keepIfIdle();
        return true;
    }

    void retire() {
        follow(apply(queue::retire));
    }

    /** The queue has left the state in which it takes requests. */
    void forget() {
        queues.forget(this);
    }

    /** May be read without the monitor. A thread that holds a lease of this name reads false. */
    boolean idle() {
        return queue.idle();
    }

    void keepIfIdle() {
        if (queue.idle()) {
            queues.wentIdle(this);
        }
    }

    List<HeldGrant> grants() {
        synchronized (queue) {
            return queue.grants();
        }
    }

    // ---- Applying and performing

    private interface Transition {
        @Nullable
        Action apply(long now);
    }

    private @Nullable Action apply(Transition transition) {
        synchronized (queue) {
            try {
                return counted(transition.apply(now()));
            } catch (Throwable e) {
                return broke(e);
            }
        }
    }

    /** Inside the monitor. */
    private long now() {
        return queue.advance(parts.time().nanos());
    }

    /** Inside the monitor. */
    private @Nullable Action counted(@Nullable Action chain) {
        for (Action each = chain; each != null; each = each.next) {
            if (each.callsStore()) {
                parts.calls().unfinished().begin();
            }
        }
        return chain;
    }

    /** Inside the monitor: a transition has failed. */
    private @Nullable Action broke(Throwable why) {
        return counted(queue.broke(why));
    }

    /** Performs a chain that follows from an answer, a timer or a hint: in the loop of this thread, if one runs. */
    void follow(@Nullable Action chain) {
        if (chain != null && !queues.work().append(this, chain)) {
            run(chain);
        }
    }

    /** Performs a chain, and what follows from it at once, in a loop of its own. */
    private void run(@Nullable Action chain) {
        if (chain == null) {
            return;
        }
        WorkLists.WorkList outer = queues.work().enter();
        try {
            QueueRunner runner = this;
            Action rest = chain;
            while (rest != null) {
                Action action = rest;
                rest = action.next;
                rest = Action.chain(rest, runner.performer.perform(action.alone()));
                WorkLists.Work work = rest == null ? queues.work().poll() : null;
                if (work != null) {
                    runner = work.runner;
                    rest = work.chain;
                }
            }
        } finally {
            queues.work().leave(outer);
        }
    }

    private void tellRefused(Ask ask, @Nullable Object result) {
        Refused because = result instanceof Queued place ? place.because() : result instanceof Refused r ? r : null;
        if (because != null) {
            String heldBy = because.heldBy() == null ? "" : because.heldBy().label();
            parts.events().tell(listener -> listener.onRefused(name, ask.waiter.request.mode(), heldBy));
        }
    }

    /** Tells the listeners of a lease: on the thread that waited for it, or before its future is completed. */
    void announce(Waiter waiter) {
        if (parts.events().any() && waiter.outcome() instanceof LeaseHandle lease) {
            Duration waited = Duration.ofNanos(parts.time().nanos() - waiter.arrived);
            parts.events().tell(listener -> {
                if (lease.handedOff()) {
                    listener.onHandedOff(lease, waited);
                } else {
                    listener.onGranted(lease, waited);
                }
            });
        }
    }

    private static StoreUnavailableException nothing() {
        return new StoreUnavailableException("the store answered nothing", true, null);
    }
}
