package io.holdfast.engine.client;

import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.Scheduler;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A candidacy: contends, leads, contends again. Kept by the client until it is closed (U36).
 *
 * <pre>
 *   CONTENDING ──granted──▶ LEADING ──lost, resigned, released, failed──▶ CONTENDING
 *        └───────────────────── close ─────────────────────▶ CLOSED
 * </pre>
 *
 * <ul>
 *   <li>I1: the leadership is set and cleared under this object's monitor, and the candidate's call is chained in the
 *       same step. So each {@code elected} is followed by one {@code deposed}, in this order (E1, E2).
 *   <li>I2: whatever ends a leadership comes through {@link #end}; only the first one finds the leadership and counts.
 *   <li>I3: a leadership that was given up is released after the candidate was told (E3). One that was lost is released by
 *       its holder id at once.
 *   <li>I4: at most one contest is under way. It begins after the candidate was told of the end of the last leadership: a
 *       candidate that hangs does not keep others from leading.
 *   <li>I5: work that leads is interrupted at most once per leadership, and only between its begin and its end, which are
 *       noted under the monitor (E5).
 * </ul>
 */
final class Standing implements Election.Candidacy {
    private static final long PAUSE_AFTER_FAILURE = 1_000_000_000;

    private final HoldfastClient client;
    private final Request request;
    private final Election.Candidate candidate;
    private final boolean leads;

    // Guarded by this.
    private CompletableFuture<Void> calls = CompletableFuture.completedFuture(null);
    private @Nullable CompletableFuture<Lease> contest;
    private @Nullable LeaseHandle leadership;
    private final List<Thread> awaiting = new ArrayList<>(1);
    private boolean closed;

    /** It has stepped down, and its work is still to end. */
    private boolean resigning;

    private @Nullable Thread worker;
    private boolean interrupted;

    /** With a candidate whose {@code elected} returns at once, or {@code leads} as long as it runs. */
    Standing(HoldfastClient client, Request request, Election.Candidate candidate, boolean leads) {
        this.client = client;
        this.request = request;
        this.candidate = candidate;
        this.leads = leads;
    }

    void contend() {
        CompletableFuture<Lease> asked;
        synchronized (this) {
            if (closed) {
                return;
            }
            asked = client.acquireAsync(request);
            contest = asked;
        }
        asked.whenComplete((lease, failure) -> {
            if (lease instanceof LeaseHandle granted) {
                won(granted);
            } else if (!asked.isCancelled() && !client.closed()) {
                Log.warning("the election '" + request.lockName() + "' failed and is tried again", failure);
                contendAfter(PAUSE_AFTER_FAILURE);
            }
        });
    }

    private void contendAfter(long pause) {
        Scheduler scheduler = client.time().scheduler();
        scheduler.schedule(
                () -> {
                    try {
                        contend();
                    } catch (IllegalStateException e) {
                        // The client was closed in this moment.
                        client.forget(this);
                    }
                },
                pause);
    }

    private void won(LeaseHandle lease) {
        List<Thread> told;
        synchronized (this) {
            contest = null;
            if (closed) {
                lease.releaseAsync();
                return;
            }
            leadership = lease;
            resigning = false;
            told = List.copyOf(awaiting);
            calls = calls.thenRunAsync(() -> elected(lease), client.callbacks());
        }
        told.forEach(LockSupport::unpark);
        lease.onLost(loss -> end(lease, loss, 0));
        lease.onReleased(() -> end(lease, given(lease, "its lease was released"), client.behindOthers()));
    }

    /** On the executor, in the chain of calls. */
    private void elected(LeaseHandle lease) {
        boolean begins = !leads || begin(lease);
        Throwable failure = null;
        try {
            if (begins) {
                candidate.elected(lease);
            }
        } catch (Throwable e) {
            failure = e;
        }
        boolean wasInterrupted = leads && ended();
        if (failure != null && !(wasInterrupted && failure instanceof InterruptedException)) {
            Log.warning(
                    (leads ? "the work of a leader in the election '" : "a candidate of the election '")
                            + request.lockName() + "' failed; it resigns",
                    failure);
        }
        if (leads || failure != null) {
            String how = failure == null ? "its work has ended" : "it failed: " + failure;
            end(lease, given(lease, how), PAUSE_AFTER_FAILURE);
        }
    }

    /** Notes that the work begins on this thread; false if its leadership has ended already. */
    private synchronized boolean begin(LeaseHandle lease) {
        if (leadership != lease || resigning) {
            return false;
        }
        worker = Thread.currentThread();
        interrupted = false;
        return true;
    }

    /** Notes that the work has ended, and says whether it was interrupted. */
    private synchronized boolean ended() {
        worker = null;
        boolean was = interrupted;
        if (was) {
            interrupted = false;
            Thread.interrupted(); // It was for the work, and the thread goes back to its pool.
        }
        return was;
    }

    /** Under the monitor. */
    private void interruptWork() {
        Thread thread = worker;
        if (thread != null && thread != Thread.currentThread() && !interrupted) {
            interrupted = true;
            thread.interrupt();
        }
    }

    private static Loss given(LeaseHandle lease, String how) {
        return new Loss(lease.lockName(), lease.token(), LossReason.RESIGNED, how);
    }

    /** Ends a leadership, once; after the pause it stands again. */
    private void end(LeaseHandle lease, Loss loss, long pause) {
        boolean givenUp = loss.reason() == LossReason.RESIGNED;
        synchronized (this) {
            if (leadership != lease) {
                return;
            }
            leadership = null;
            interruptWork(); // in the same step: the next leadership may begin at once
            calls = calls.thenRunAsync(() -> deposed(lease, loss, pause), client.callbacks());
        }
        if (!givenUp) {
            lease.releaseAsync();
        }
    }

    /** On the executor, in the chain of calls. */
    private void deposed(LeaseHandle lease, Loss loss, long pause) {
        try {
            candidate.deposed(loss);
        } catch (Throwable failure) {
            Log.warning("a candidate of the election '" + request.lockName() + "' failed when it was deposed", failure);
        }
        if (loss.reason() == LossReason.RESIGNED) {
            lease.releaseAsync().whenComplete((outcome, never) -> contendUnlessClosed(pause));
        } else {
            contendUnlessClosed(pause);
        }
    }

    private void contendUnlessClosed(long pause) {
        boolean over;
        synchronized (this) {
            over = closed;
        }
        if (over || client.closed()) {
            client.forget(this);
        } else {
            contendAfter(pause);
        }
    }

    @Override
    public boolean isLeader() {
        return leadership().isPresent();
    }

    @Override
    public synchronized Optional<Lease> leadership() {
        LeaseHandle lease = leadership;
        if (lease == null || resigning) {
            return Optional.empty();
        }
        LeaseState state = lease.state();
        return state == LeaseState.HELD || state == LeaseState.JEOPARDY ? Optional.of(lease) : Optional.empty();
    }

    @Override
    public Lease awaitLeadership() throws InterruptedException {
        return awaitLeadership(Request.FOREVER).orElseThrow();
    }

    @Override
    public Optional<Lease> awaitLeadership(Duration longest) throws InterruptedException {
        boolean endless = longest.compareTo(LockOptions.LONGEST) > 0;
        return awaitLeadership(endless ? Request.FOREVER : longest.toNanos());
    }

    private Optional<Lease> awaitLeadership(long longest) throws InterruptedException {
        Thread thread = Thread.currentThread();
        ClientTime time = client.time();
        long deadline = time.nanos() + longest;
        synchronized (this) {
            awaiting.add(thread);
        }
        try {
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Optional<Lease> leading = leadership();
                long left = deadline - time.nanos();
                if (leading.isPresent()) {
                    return leading;
                }
                checkOpen();
                if (left <= 0) {
                    return leading;
                }
                time.park(left);
            }
        } finally {
            synchronized (this) {
                awaiting.remove(thread);
            }
        }
    }

    private synchronized void checkOpen() {
        if (closed || client.closed()) {
            throw new IllegalStateException("the candidacy in the election '" + request.lockName() + "' is closed");
        }
    }

    @Override
    public void resign() {
        stepDown("it resigned");
    }

    /** A candidate is told first; work that leads is told to end, and what it leads with ends with it. */
    private void stepDown(String how) {
        LeaseHandle lease;
        synchronized (this) {
            lease = leadership;
            resigning = lease != null;
            if (leads && lease != null) {
                interruptWork();
            }
        }
        if (lease != null && !leads) {
            end(lease, given(lease, how), client.behindOthers());
        }
    }

    @Override
    public void close() {
        CompletableFuture<Lease> running;
        boolean contending;
        List<Thread> told;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            running = contest;
            contending = leadership == null;
            told = List.copyOf(awaiting);
        }
        told.forEach(LockSupport::unpark);
        if (running != null) {
            running.cancel(false);
        }
        if (contending) {
            client.forget(this);
        } else {
            stepDown("its candidacy was closed");
        }
    }

    /** The client is being closed: the threads that wait here are woken; leaders are told with the loss of their leases. */
    void clientClosed() {
        List<Thread> told;
        synchronized (this) {
            told = List.copyOf(awaiting);
        }
        told.forEach(LockSupport::unpark);
    }

    @Override
    public String toString() {
        return "Candidacy[" + request.lockName() + ", " + (isLeader() ? "leads" : "does not lead") + "]";
    }
}
