package io.holdfast.engine.lease;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Sequencer;
import io.holdfast.engine.runtime.Log;
import io.holdfast.engine.runtime.StackRoom;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease that the user holds: a state machine over a {@link HeldGrant}.
 *
 * <p>{@code HELD → LOSING → LOST} and {@code HELD → RELEASED}, each one compare-and-set, so exactly one wins (N3). In
 * LOSING only the thread that won interrupts the holder's thread. {@code release()} waits until LOSING is over, so the
 * interrupt never arrives after {@code close()} returned. JEOPARDY is not a state of its own but HELD while renewal
 * fails or the machine was suspended: it comes and goes with the grant.
 *
 * <p>Only the user references this object strongly for long; see {@link HeldGrant}. The grant keeps its callbacks, so a
 * lease that the program dropped still tells of its loss (U36).
 */
public final class LeaseHandle implements Lease {
    private static final int HELD = 0;
    private static final int LOSING = 1;
    private static final int LOST = 2;
    private static final int RELEASED = 3;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(LeaseHandle.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final HeldGrant grant;
    private final long token;
    private final long acquiredNanos;
    private volatile @Nullable Thread boundTo;
    private final boolean interruptsOnLoss;

    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    private static final byte CLOSED = 1;

    /** A {@link java.util.concurrent.locks.Lock} view keeps it. */
    private static final byte VIEWED = 2;

    // Guarded by this.
    private int entries = 1;
    private byte marks;
    private @Nullable LossListeners listeners;

    /** Set when this handle, as one of the entries, is left. */
    private @Nullable ReleaseAnswer answer;

    /** For {@code holder}: a thread, to which the lease is bound, or another object. */
    LeaseHandle(HeldGrant grant, Object holder, Request request, long token, long acquiredNanos) {
        this.grant = grant;
        this.token = token;
        this.boundTo = holder instanceof Thread thread ? thread : null;
        this.interruptsOnLoss = request.interruptOnLoss();
        this.acquiredNanos = acquiredNanos;
    }

    /** A stand-in for a lease that the program has dropped; see {@link HeldGrant#leaseOrStandIn()}. */
    LeaseHandle(HeldGrant grant, long token, long acquiredNanos, @Nullable LossListeners listeners) {
        this.grant = grant;
        this.token = token;
        this.interruptsOnLoss = false;
        this.acquiredNanos = acquiredNanos;
        this.listeners = listeners;
    }

    public HeldGrant grant() {
        return grant;
    }

    /** Whether the lease came from another thread of this client, without the store. */
    public boolean handedOff() {
        return token != grant.firstToken();
    }

    private LeaseKeeper keeper() {
        return grant.keeper();
    }

    @Override
    public String lockName() {
        return grant.claim().lockName();
    }

    @Override
    public Mode mode() {
        return grant.claim().mode();
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public Sequencer sequencer() {
        return new Sequencer(lockName(), mode(), token);
    }

    @Override
    public LeaseState state() {
        int now = (int) STATE.getVolatile(this);
        if (now == HELD) {
            long nanos = keeper().now();
            if (grant.overdue(nanos)) {
                keeper().expire(grant, nanos);
                return (int) STATE.getVolatile(this) == RELEASED ? LeaseState.RELEASED : LeaseState.LOST;
            }
            return grant.failing || grant.suspended(keeper().wallLead()) ? LeaseState.JEOPARDY : LeaseState.HELD;
        }
        return now == RELEASED ? LeaseState.RELEASED : LeaseState.LOST;
    }

    @Override
    public Duration remaining() {
        if ((int) STATE.getVolatile(this) != HELD) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, grant.end() - keeper().now()));
    }

    @Override
    public void ensureValid() {
        switch (state()) {
            case HELD -> {}
            case RELEASED -> throw new IllegalStateException("the lease of lock '" + lockName() + "' was released");
            case LOST -> throw new LeaseLostException(knownLoss());
            case JEOPARDY -> {
                if (grant.suspended(keeper().wallLead())) {
                    keeper().renewSoon();
                    throw new LeaseLostException(new Loss(
                            lockName(),
                            token,
                            LossReason.EXPIRED,
                            "the machine was suspended or its clock was set, and the store has not confirmed the lease"
                                    + " since; check again after the next renewal"));
                }
            }
        }
    }

    @Override
    public Lease onLost(Consumer<? super Loss> action) {
        Objects.requireNonNull(action, "action");
        Loss known;
        LossListeners kept;
        synchronized (this) {
            kept = listeners();
            known = kept.loss;
            if (known == null) {
                kept.onLost.add(action);
            }
        }
        grant.keep(this, kept);
        if (known != null) {
            Loss told = known;
            keeper().callbacks().execute(() -> run(() -> action.accept(told)));
        }
        return this;
    }

    @Override
    public Lease onJeopardy(Consumer<? super Duration> action) {
        Objects.requireNonNull(action, "action");
        LossListeners kept;
        synchronized (this) {
            kept = listeners();
            kept.onJeopardy.add(action);
        }
        grant.keep(this, kept);
        return this;
    }

    /** Runs {@code action} on the client's executor when the lease is released in time; at once if it was. */
    public void onReleased(Runnable action) {
        boolean released;
        synchronized (this) {
            released = (int) STATE.getVolatile(this) == RELEASED;
            if (!released) {
                listeners().onReleased = action;
            }
        }
        if (released) {
            keeper().callbacks().execute(action);
        }
    }

    @Override
    public Lease detach() {
        boundTo = null;
        return this;
    }

    @Override
    public ReleaseOutcome release() {
        return leave(Thread.currentThread()).await();
    }

    @Override
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        return leave(null).future();
    }

    @Override
    public void close() {
        boolean lostBefore = state() == LeaseState.LOST;
        release();
        if (lostBefore && mark(CLOSED)) {
            Log.warning("closed a lost lease of lock '" + lockName() + "' (token " + token + "): "
                    + knownLoss().detail());
        }
    }

    /** Leaves this handle, once. {@code caller} waits for the answer. */
    private ReleaseAnswer leave(@Nullable Thread caller) {
        StackRoom.check();
        ReleaseAnswer mine;
        synchronized (this) {
            if (answer != null) {
                return answer;
            }
            mine = new ReleaseAnswer(this, caller);
            answer = mine;
        }
        leaveOne(mine);
        return mine;
    }

    /** One entry less, be it this handle or an inner, re-entrant lease. The last one releases. */
    void leaveOne(ReleaseAnswer mine) {
        boolean last;
        synchronized (this) {
            last = --entries == 0;
        }
        if (!last) {
            boolean lost = state() == LeaseState.LOST;
            mine.decide(keeper().callbacks(), lost ? ReleaseOutcome.EXPIRED : ReleaseOutcome.RELEASED);
            return;
        }
        boolean inTime = startRelease();
        boundTo = null;
        Runnable told;
        synchronized (this) {
            told = inTime && listeners != null ? listeners.onReleased : null;
        }
        grant.owner().release(this, inTime, mine);
        if (told != null) {
            keeper().callbacks().execute(told);
        }
    }

    /** HELD → RELEASED, or waits until the loss that is under way is complete; says whether it was released in time. */
    private boolean startRelease() {
        long now = keeper().now();
        while (grant.overdue(now) || !STATE.compareAndSet(this, HELD, RELEASED)) {
            if ((int) STATE.getVolatile(this) == LOST) {
                return false;
            }
            keeper().expire(grant, now);
            Thread.onSpinWait();
        }
        return true;
    }

    /** True the first time. */
    private synchronized boolean mark(byte what) {
        boolean first = (marks & what) == 0;
        marks |= what;
        return first;
    }

    /**
     * The thread that waited for the lease has it. A grant that ended on the way to the thread is lost (U14): the state is
     * looked at once more. Of some leases it is remembered where they were acquired.
     */
    public void received() {
        if (grant.overdue(keeper().now())) {
            keeper().expire(grant, keeper().now());
        }
        if (LeakSites.sampled(grant.claim().holder().low())) {
            grant.rememberSite(LeakSites.here());
        }
    }

    /** Enters again; null if it is not held any more or not bound to this thread. */
    public @Nullable Lease enter(Thread thread) {
        synchronized (this) {
            if (entries == 0 || boundTo != thread) {
                return null;
            }
            entries++;
        }
        return new ReentrantLease(this);
    }

    public boolean boundTo(Object owner) {
        return boundTo == owner;
    }

    /** Keeps the lease for a {@link java.util.concurrent.locks.Lock} view, whose user has no handle to lose. */
    void markViewed() {
        mark(VIEWED);
    }

    /** Whether the thread that should unlock it through a view has died. */
    synchronized boolean orphaned() {
        Thread thread = boundTo;
        return (marks & VIEWED) != 0 && thread != null && !thread.isAlive();
    }

    /** HELD → LOST, once; the thread that wins interrupts the holder and tells. The grant is LOST already. */
    void lose(LossReason reason) {
        Loss told = grant.loss(token, reason, keeper().now());
        List<Consumer<? super Loss>> actions;
        if (!STATE.compareAndSet(this, HELD, LOSING)) {
            return;
        }
        Thread holder = boundTo;
        if (holder != null && interruptsOnLoss) {
            holder.interrupt();
        }
        synchronized (this) {
            listeners().loss = told;
            actions = List.copyOf(listeners().onLost);
        }
        STATE.setVolatile(this, LOST);
        if (keeper().events().any()) {
            keeper().events().tell(listener -> listener.onLost(this, told));
        }
        for (Consumer<? super Loss> action : actions) {
            keeper().callbacks().execute(() -> run(() -> action.accept(told)));
        }
    }

    /** Tells that renewal began to fail. */
    void jeopardy() {
        List<Consumer<? super Duration>> actions;
        synchronized (this) {
            actions = listeners == null ? List.of() : List.copyOf(listeners.onJeopardy);
        }
        Duration left = remaining();
        if (keeper().events().any()) {
            keeper().events().tell(listener -> listener.onJeopardy(this, left));
        }
        for (Consumer<? super Duration> action : actions) {
            keeper().callbacks().execute(() -> run(() -> action.accept(left)));
        }
    }

    Duration held() {
        return Duration.ofNanos(keeper().now() - acquiredNanos);
    }

    /** The thread to which the lease is bound. */
    public @Nullable Thread thread() {
        return boundTo;
    }

    Loss knownLoss() {
        synchronized (this) {
            if (listeners != null && listeners.loss != null) {
                return listeners.loss;
            }
        }
        return grant.loss(token, LossReason.EXPIRED, keeper().now());
    }

    @Override
    public String toString() {
        return "Lease[" + lockName() + ", " + mode() + ", token " + token + ", " + state() + "]";
    }

    private LossListeners listeners() {
        LossListeners known = listeners;
        if (known == null) {
            known = new LossListeners();
            listeners = known;
        }
        return known;
    }

    private void run(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            Log.warning("a callback of the lease of lock '" + lockName() + "' failed", e);
        }
    }
}
