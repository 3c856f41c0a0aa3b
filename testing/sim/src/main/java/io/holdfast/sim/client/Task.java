package io.holdfast.sim.client;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.sim.check.HeldLease;
import io.holdfast.sim.check.ObservedTask;
import io.holdfast.sim.check.Rule;
import io.holdfast.sim.plan.Fault;
import io.holdfast.sim.plan.LockRequest;
import io.holdfast.sim.world.Machine;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A user of one client: asks for a lock, changes the guarded counter under it, releases, waits a little, asks again. */
public final class Task implements ObservedTask {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Client client;
    private final RunContext run;
    private final Machine machine;
    private final SplittableRandom random;
    private final String name;
    private State state = State.IDLE;
    private @Nullable LockRequest ask;
    private @Nullable CompletableFuture<?> future;
    private @Nullable HeldLease held;
    private long since;
    private long askedInStep;
    private long stopsBefore;
    private int turns;

    public Task(Client client, RunContext run, SplittableRandom random, String name) {
        this.client = client;
        this.run = run;
        this.machine = client.machine();
        this.random = random;
        this.name = name;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public @Nullable LockRequest request() {
        return ask;
    }

    @Override
    public @Nullable HeldLease held() {
        return held;
    }

    @Override
    public boolean waitsOn() {
        LockRequest asked = ask;
        CompletableFuture<?> pending = future;
        return state == State.WAITING
                && asked != null
                && !asked.once()
                && pending != null
                && !pending.isDone()
                && machine.nanos() - since < asked.longest().toNanos() - MILLI;
    }

    @Override
    public int turns() {
        return turns;
    }

    @Override
    public long since() {
        return since;
    }

    @Override
    public long askedInStep() {
        return askedInStep;
    }

    @Override
    public long underWayNanos() {
        long stopped = machine.stoppedNanos() - stopsBefore;
        // Stops are counted in true time, and the clock may be fast.
        return machine.nanos() - since - stopped - stopped / 100;
    }

    public void think() {
        later(1 + random.nextLong(run.plan().thinkNanos), "task " + name + " thinks", this::begin);
    }

    private void begin() {
        if (run.isDraining() || client.isClosing()) {
            return;
        }
        LockRequest asked = LockRequest.draw(run.plan(), random);
        ask = asked;
        state = State.WAITING;
        askedInStep = run.world().steps();
        mark();
        run.world().note(client.name(), name + " asks for " + asked);
        if (asked.once()) {
            CompletableFuture<Optional<Lease>> tried =
                    asked.lockOf(client.holdfast()).tryAcquireAsync(asked.options(random));
            follow(tried, tried.thenApply(lease -> lease.orElse(null)));
        } else {
            CompletableFuture<Lease> acquired = asked.lockOf(client.holdfast()).acquireAsync(asked.options(random));
            follow(acquired, acquired.thenApply(lease -> lease));
        }
    }

    private void follow(CompletableFuture<?> cancellable, CompletableFuture<@Nullable Lease> result) {
        future = cancellable;
        boolean cancels = run.plan().faults.contains(Fault.CANCEL) && random.nextInt(4) == 0;
        result.whenComplete((lease, failure) -> answered(lease, failure));
        if (cancels) {
            later(random.nextLong(random.nextBoolean() ? 3 * MILLI : 1500 * MILLI), "cancel", () -> {
                if (future == cancellable && !cancellable.isDone() && !run.isDraining()) {
                    client.faults().happened(Fault.CANCEL, client);
                    cancellable.cancel(false);
                }
            });
        }
    }

    private void answered(@Nullable Lease lease, @Nullable Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        LockRequest asked = ask;
        if (state != State.WAITING || asked == null) {
            run.observer().fail(Rule.CALLBACK, "a future was completed twice");
            return;
        }
        long longest = (asked.once() ? 0 : asked.longest().toNanos())
                + run.plan().ioTimeout.toNanos();
        run.observer().bounded(this, longest, "the acquisition " + asked);
        future = null;
        if (lease != null) {
            state = State.HOLDING;
            turns++;
            run.world().note(client.name(), name + " holds " + asked.name() + " token " + lease.token());
            held = run.observer().begins(client, this, asked, lease);
            lease.onLost(loss -> lost(lease));
            hold(lease);
            return;
        }
        if (failure != null && !expected(failure)) {
            run.observer().fail(Rule.CALLBACK, "an acquisition failed with " + failure);
        }
        run.world()
                .note(
                        client.name(),
                        name + " got nothing: "
                                + (failure == null ? "" : failure.getClass().getSimpleName()));
        state = State.IDLE;
        think();
    }

    private boolean expected(Throwable failure) {
        return failure instanceof LockTimeoutException
                || failure instanceof StoreUnavailableException
                || failure instanceof CancellationException
                || (client.isClosing()
                        && (failure instanceof HoldfastException || failure instanceof IllegalStateException));
    }

    private void hold(Lease lease) {
        if (run.plan().loop) {
            later(50 * MILLI, name + " works", () -> release(lease));
            return;
        }
        long ttl =
                lease.mode() == Mode.PERMIT ? 300 * MILLI : run.plan().longTtl.toNanos();
        boolean passing = run.plan().passing;
        long holdFor = switch (random.nextInt(passing ? 16 : 4)) {
            case 0 -> random.nextLong(3 * ttl);
            case 1 -> 0;
            default -> random.nextLong((passing ? 4 : 40) * MILLI);
        };
        int updates = lease.mode() == Mode.PERMIT ? 0 : random.nextInt(passing ? 2 : 3);
        later(holdFor, name + " works", () -> update(lease, updates));
    }

    /** Reads and writes the guarded counter, {@code left} times, then releases. */
    private void update(Lease lease, int left) {
        if (left == 0 || state != State.HOLDING) {
            release(lease);
            return;
        }
        try {
            lease.ensureValid();
        } catch (LeaseLostException e) {
            later(random.nextLong(300 * MILLI), name + " gives up", () -> release(lease));
            return;
        }
        Sequencer sequencer = lease.sequencer();
        run.world().post(null, travel(), "read of " + name, () -> {
            long value = run.counters().read(sequencer);
            run.world().post(machine, travel(), "read answer", () -> {
                if (value >= 0 && sequencer.mode() == Mode.EXCLUSIVE) {
                    write(lease, sequencer, value, left);
                } else {
                    update(lease, value < 0 ? 0 : left - 1);
                }
            });
        });
    }

    private void write(Lease lease, Sequencer sequencer, long read, int left) {
        boolean waits = random.nextInt(4) > 0;
        run.world().post(null, travel(), "write of " + name, () -> {
            boolean written = run.counters().write(sequencer, read);
            if (waits) {
                run.world().post(machine, travel(), "write answer", () -> update(lease, written ? left - 1 : 0));
            }
        });
        if (!waits) {
            release(lease);
        }
    }

    private void lost(Lease lease) {
        run.observer().told(lease);
        later(random.nextLong(400 * MILLI), name + " heard of the loss", () -> release(lease));
    }

    private void release(Lease lease) {
        if (state != State.HOLDING || held == null || held.lease != lease) {
            return;
        }
        state = State.RELEASING;
        mark();
        HeldLease ended = held;
        run.observer().releases(ended);
        lease.releaseAsync().whenComplete((outcome, failure) -> released(ended, outcome, failure));
        if (random.nextInt(10) == 0) {
            lease.releaseAsync()
                    .whenComplete((outcome, failure) -> run.observer().again(ended, outcome));
        }
    }

    private void released(HeldLease ended, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
        if (failure != null || outcome == null) {
            run.observer().fail(Rule.P6_RELEASE, "a release failed with " + failure);
            return;
        }
        run.observer().bounded(this, run.plan().ioTimeout.toNanos(), "the release of " + ended);
        run.observer().ended(ended, outcome);
        run.world().note(client.name(), name + " released token " + ended.lease.token() + ": " + outcome);
        held = null;
        state = State.IDLE;
        think();
    }

    private long travel() {
        return random.nextInt(run.plan().passing ? 40 : 8) == 0
                ? random.nextLong(900 * MILLI)
                : random.nextLong(2 * MILLI);
    }

    private void mark() {
        since = machine.nanos();
        stopsBefore = machine.stoppedNanos();
    }

    private void later(long nanos, String what, Runnable action) {
        run.world().post(machine, nanos, what, action);
    }
}
