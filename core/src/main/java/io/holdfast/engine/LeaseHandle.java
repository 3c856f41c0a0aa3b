package io.holdfast.engine;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Sequencer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease that the user holds: a state machine over a {@link Hold}.
 *
 * <p>{@code HELD → LOSING → LOST} and {@code HELD → RELEASED}, each one compare-and-set, so exactly one wins (N3). In
 * LOSING the winner, and nobody else, interrupts the holder's thread; {@code release()} waits that moment out, so the
 * interrupt never arrives after {@code close()} returned. JEOPARDY is not a state of its own but HELD while renewal
 * fails or the machine was suspended: it comes and goes with the hold.
 *
 * <p>Only the user references this object strongly for long; see {@link Hold}. The hold keeps its callbacks: a lease that
 * was dropped is still told of (U36).
 */
final class LeaseHandle extends ReleaseCall implements Lease {
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

    final Hold hold;
    private final long token;
    private final long acquiredNanos;
    private volatile @Nullable Thread boundTo;
    private final boolean interruptsOnLoss;

    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    /** The handle's own entry was left. */
    private static final byte LEFT = 1;

    private static final byte CLOSED = 2;

    /** A {@link java.util.concurrent.locks.Lock} view keeps it. */
    private static final byte VIEWED = 4;

    // Guarded by this.
    private int entries = 1;
    private byte marks;
    private @Nullable Tidings tidings;

    /** What the holder wants to hear, and what there was to tell; most leases have neither. */
    static final class Tidings {
        final List<Consumer<? super Loss>> onLost = new ArrayList<>(2);
        final List<Consumer<? super Duration>> onJeopardy = new ArrayList<>(2);

        @Nullable
        Runnable onReleased;

        @Nullable
        Loss loss;
    }

    LeaseHandle(Hold hold, Waiter holder, long token, long acquiredNanos) {
        this.hold = hold;
        this.token = token;
        this.boundTo = holder.thread();
        this.interruptsOnLoss = holder.request.interruptOnLoss();
        this.acquiredNanos = acquiredNanos;
    }

    /** A stand-in for a lease that the program has dropped; see {@link Hold#leaseOrStandIn()}. */
    LeaseHandle(Hold hold, long token, long acquiredNanos, @Nullable Tidings tidings) {
        this.hold = hold;
        this.token = token;
        this.interruptsOnLoss = false;
        this.acquiredNanos = acquiredNanos;
        this.tidings = tidings;
    }

    @Override
    public String lockName() {
        return hold.claim.lockName();
    }

    @Override
    public Mode mode() {
        return hold.claim.mode();
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
            long nanos = env().ticker.nanos();
            if (hold.overdue(nanos)) {
                env().keeper().expire(hold, nanos);
                return (int) STATE.getVolatile(this) == RELEASED ? LeaseState.RELEASED : LeaseState.LOST;
            }
            return hold.failing || hold.suspended(env().wallLead()) ? LeaseState.JEOPARDY : LeaseState.HELD;
        }
        return now == RELEASED ? LeaseState.RELEASED : LeaseState.LOST;
    }

    @Override
    public Duration remaining() {
        if ((int) STATE.getVolatile(this) != HELD) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, hold.end() - env().ticker.nanos()));
    }

    @Override
    public void ensureValid() {
        switch (state()) {
            case HELD -> {}
            case RELEASED -> throw new IllegalStateException("the lease of lock '" + lockName() + "' was released");
            case LOST -> throw new LeaseLostException(knownLoss());
            case JEOPARDY -> {
                if (hold.suspended(env().wallLead())) {
                    env().keeper().renewSoon();
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
        Tidings kept;
        synchronized (this) {
            kept = tidings();
            known = kept.loss;
            if (known == null) {
                kept.onLost.add(action);
            }
        }
        hold.keep(this, kept);
        if (known != null) {
            Loss told = known;
            env().execute(() -> run(() -> action.accept(told)));
        }
        return this;
    }

    @Override
    public Lease onJeopardy(Consumer<? super Duration> action) {
        Objects.requireNonNull(action, "action");
        Tidings kept;
        synchronized (this) {
            kept = tidings();
            kept.onJeopardy.add(action);
        }
        hold.keep(this, kept);
        return this;
    }

    /** Runs {@code action} on the client's executor when the lease is released in time; at once if it was. */
    void onReleased(Runnable action) {
        boolean released;
        synchronized (this) {
            released = (int) STATE.getVolatile(this) == RELEASED;
            if (!released) {
                tidings().onReleased = action;
            }
        }
        if (released) {
            env().execute(action);
        }
    }

    @Override
    public Lease detach() {
        boundTo = null;
        return this;
    }

    @Override
    public ReleaseOutcome release() {
        return leave(true).await(env());
    }

    @Override
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        return leave(false).future();
    }

    @Override
    public void close() {
        boolean lostBefore = state() == LeaseState.LOST;
        boolean first;
        synchronized (this) {
            first = mark(CLOSED);
        }
        release();
        if (first && lostBefore) {
            Log.warning("closed a lost lease of lock '" + lockName() + "' (token " + token + "): "
                    + knownLoss().detail());
        }
    }

    /** One entry less; the last one releases. */
    ReleaseCall leave(boolean mayBlock) {
        StackRoom.check();
        boolean first;
        synchronized (this) {
            first = mark(LEFT);
        }
        if (first) {
            leaveInner(mayBlock, this);
        }
        return this;
    }

    /** Under the monitor; true the first time. */
    private boolean mark(byte what) {
        boolean first = (marks & what) == 0;
        marks |= what;
        return first;
    }

    @Override
    LeaseHandle ending() {
        return this;
    }

    /** The end of one entry, be it this handle or an inner, re-entrant lease. */
    void leaveInner(boolean mayBlock, ReleaseCall call) {
        boolean last;
        synchronized (this) {
            last = --entries == 0;
        }
        if (last) {
            releaseNow(mayBlock, call);
        } else {
            call.decide(env(), stillInside());
        }
    }

    /** What a handle is told that leaves while another one is inside. */
    private ReleaseOutcome stillInside() {
        return state() == LeaseState.LOST ? ReleaseOutcome.EXPIRED : ReleaseOutcome.RELEASED;
    }

    private void releaseNow(boolean mayBlock, ReleaseCall call) {
        boolean inTime = release(env().ticker.nanos());
        boundTo = null;
        Runnable told;
        synchronized (this) {
            told = inTime && tidings != null ? tidings.onReleased : null;
        }
        hold.queue.release(this, inTime, mayBlock, call);
        if (told != null) {
            env().execute(told);
        }
    }

    /** HELD → RELEASED, or waits out whoever loses the lease at this moment; says whether it was released in time. */
    private boolean release(long now) {
        while (hold.overdue(now) || !STATE.compareAndSet(this, HELD, RELEASED)) {
            if ((int) STATE.getVolatile(this) == LOST) {
                return false;
            }
            env().keeper().expire(hold, now);
            Thread.onSpinWait();
        }
        return true;
    }

    /** Enters again; false if it is not held any more or not bound to this thread. */
    boolean enter(Thread thread) {
        synchronized (this) {
            if (entries == 0 || boundTo != thread) {
                return false;
            }
            entries++;
            return true;
        }
    }

    boolean boundTo(Thread thread) {
        return boundTo == thread;
    }

    /** Keeps the lease for a {@link java.util.concurrent.locks.Lock} view, whose user has no handle to lose. */
    synchronized void markViewed() {
        mark(VIEWED);
    }

    /** Whether the thread that should unlock it through a view has died. */
    synchronized boolean orphaned() {
        Thread thread = boundTo;
        return (marks & VIEWED) != 0 && thread != null && !thread.isAlive();
    }

    /** HELD → LOST, once; the winner interrupts and tells. The hold is LOST already. */
    void lose(LossReason reason) {
        Loss told = hold.loss(token, reason, env().ticker.nanos());
        List<Consumer<? super Loss>> actions;
        if (!STATE.compareAndSet(this, HELD, LOSING)) {
            return;
        }
        Thread holder = boundTo;
        if (holder != null && interruptsOnLoss) {
            holder.interrupt();
        }
        synchronized (this) {
            tidings().loss = told;
            actions = List.copyOf(tidings().onLost);
        }
        STATE.setVolatile(this, LOST);
        if (env().events.any) {
            env().events.tell(listener -> listener.onLost(this, told));
        }
        for (Consumer<? super Loss> action : actions) {
            env().execute(() -> run(() -> action.accept(told)));
        }
    }

    /** Tells that renewal began to fail. */
    void jeopardy() {
        List<Consumer<? super Duration>> actions;
        synchronized (this) {
            actions = tidings == null ? List.of() : List.copyOf(tidings.onJeopardy);
        }
        Duration left = remaining();
        if (env().events.any) {
            env().events.tell(listener -> listener.onJeopardy(this, left));
        }
        for (Consumer<? super Duration> action : actions) {
            env().execute(() -> run(() -> action.accept(left)));
        }
    }

    Duration held() {
        return Duration.ofNanos(env().ticker.nanos() - acquiredNanos);
    }

    @Nullable
    Thread thread() {
        return boundTo;
    }

    Loss knownLoss() {
        synchronized (this) {
            if (tidings != null && tidings.loss != null) {
                return tidings.loss;
            }
        }
        return hold.loss(token, LossReason.EXPIRED, env().ticker.nanos());
    }

    @Override
    public String toString() {
        return "Lease[" + lockName() + ", " + mode() + ", token " + token + ", " + state() + "]";
    }

    private Env env() {
        return hold.queue.env;
    }

    private Tidings tidings() {
        Tidings known = tidings;
        if (known == null) {
            known = new Tidings();
            tidings = known;
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
