package io.holdfast.engine.queue;

import io.holdfast.Scheduler;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.Request;
import io.holdfast.spi.Refused;
import org.jspecify.annotations.Nullable;

/**
 * One request in a {@link LocalQueue}, from its arrival to its one outcome. The outcome is set under the queue's monitor.
 * It is read without it: a waiter that is woken late, early or by another cause finds its outcome all the same.
 */
public final class Waiter {
    /** The outcome of a try that was refused, and of a request that was withdrawn. */
    public static final Object REFUSED = new Object();

    final Request request;
    final long arrived;

    /** The thread that is parked, or the future; compared by identity. */
    final Object owner;

    /** Its place in the line, or its store request. Guarded by the queue. */
    @Nullable
    Position position;

    /** What was in the way when the store last said so. */
    private volatile @Nullable Obstacle obstacle;

    /** Read by the waiting thread. */
    volatile long deadline;

    private volatile @Nullable Object outcome;

    /** Where a request is that is not decided: in the line, or at the store. */
    sealed interface Position permits WaitingLine.Place, StoreRequest {}

    /** The store request on behalf of this waiter, if it is not in the line. */
    @Nullable
    StoreRequest storeRequest() {
        return position instanceof StoreRequest request ? request : null;
    }

    /** For {@code owner}: the thread that parks until the request is decided, or a {@link PendingLease}. */
    public Waiter(Request request, long now, Object owner) {
        this.request = request;
        this.arrived = now;
        this.deadline = now + request.waitNanos();
        this.owner = owner;
    }

    /** Something is in the way, as of {@code now}. */
    void refusedFor(Refused because, long now) {
        obstacle = new Obstacle(because, now);
    }

    /** What was in the way, if anything is known. */
    @Nullable
    Obstacle obstacle() {
        return obstacle;
    }

    public Request request() {
        return request;
    }

    public boolean waiting() {
        return outcome == null;
    }

    /** A {@link LeaseHandle}, a {@link Throwable}, or {@link #REFUSED}; null while the request waits. */
    public @Nullable Object outcome() {
        return outcome;
    }

    /** Under the queue's monitor, once. */
    void decide(Object value) {
        outcome = value;
    }

    /** Under the queue's monitor: arms the end of the wait of a future, and returns the timer armed before. */
    Scheduler.@Nullable Timer replaceTimer(Scheduler.Timer timer) {
        return owner instanceof PendingLease pending ? pending.replaceTimer(timer) : timer;
    }

    /** The timer that ends the wait. It does not change after the outcome is set. */
    Scheduler.@Nullable Timer timer() {
        return owner instanceof PendingLease pending ? pending.timer() : null;
    }
}
