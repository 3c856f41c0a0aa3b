package io.holdfast.sim;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A user of one client: asks for a lock, works under it on the guarded counter, releases, thinks, asks again. */
final class Task {
    enum State {
        IDLE,
        WAITING,
        HOLDING,
        RELEASING
    }

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Client client;
    private final Site site;
    private final Machine machine;
    private final SplittableRandom random;
    private final String name;
    private State state = State.IDLE;
    private @Nullable Ask ask;
    private @Nullable CompletableFuture<?> future;
    private @Nullable Held held;
    private long since;
    private long askedInStep;
    private long stopsBefore;
    private int turns;

    Task(Client client, Site site, SplittableRandom random, String name) {
        this.client = client;
        this.site = site;
        this.machine = client.machine();
        this.random = random;
        this.name = name;
    }

    State state() {
        return state;
    }

    @Nullable
    Ask ask() {
        return ask;
    }

    @Nullable
    Held held() {
        return held;
    }

    /** Whether the task waits in the local queue and is not about to leave it. */
    boolean waitsOn() {
        Ask asked = ask;
        CompletableFuture<?> pending = future;
        return state == State.WAITING
                && asked != null
                && !asked.once()
                && pending != null
                && !pending.isDone()
                && machine.nanos() - since < asked.longest().toNanos() - MILLI;
    }

    /** How often it has had a lock. */
    int turns() {
        return turns;
    }

    /** When the present call began, on the client's clock. */
    long since() {
        return since;
    }

    /** Who asked before whom in one client; its clock can show the same time for both after it was suspended. */
    long askedInStep() {
        return askedInStep;
    }

    /** For how long the present call has been under way on the client's clock, stops not counted. */
    long underWayNanos() {
        long stopped = machine.stoppedNanos() - stopsBefore;
        // Stops are counted in true time, and the clock may be fast.
        return machine.nanos() - since - stopped - stopped / 100;
    }

    void think() {
        later(1 + random.nextLong(site.plan().thinkNanos), "task " + name + " thinks", this::begin);
    }

    private void begin() {
        if (site.isDraining() || client.isClosing()) {
            return;
        }
        Ask asked = Ask.draw(site.plan(), random);
        ask = asked;
        state = State.WAITING;
        askedInStep = site.world().steps();
        mark();
        site.world().note(client.name(), name + " asks for " + asked);
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
        boolean cancels = site.plan().faults.contains(Fault.CANCEL) && random.nextInt(4) == 0;
        result.whenComplete((lease, failure) -> answered(lease, failure));
        if (cancels) {
            later(random.nextLong(random.nextBoolean() ? 3 * MILLI : 1500 * MILLI), "cancel", () -> {
                if (future == cancellable && !cancellable.isDone() && !site.isDraining()) {
                    client.faults().happened(Fault.CANCEL, client);
                    cancellable.cancel(false);
                }
            });
        }
    }

    private void answered(@Nullable Lease lease, @Nullable Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        Ask asked = ask;
        if (state != State.WAITING || asked == null) {
            site.overseer().fail(Rule.CALLBACK, "a future was completed twice");
            return;
        }
        long longest = (asked.once() ? 0 : asked.longest().toNanos())
                + site.plan().ioTimeout.toNanos();
        site.overseer().bounded(this, longest, "the acquisition " + asked);
        future = null;
        if (lease != null) {
            state = State.HOLDING;
            turns++;
            site.world().note(client.name(), name + " holds " + asked.name() + " token " + lease.token());
            held = site.overseer().begins(client, this, asked, lease);
            lease.onLost(loss -> lost(lease));
            hold(lease);
            return;
        }
        if (failure != null && !expected(failure)) {
            site.overseer().fail(Rule.CALLBACK, "an acquisition failed with " + failure);
        }
        site.world()
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
        if (site.plan().loop) {
            later(50 * MILLI, name + " works", () -> release(lease));
            return;
        }
        long ttl =
                lease.mode() == Mode.PERMIT ? 300 * MILLI : site.plan().longTtl.toNanos();
        boolean passing = site.plan().passing;
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
        site.world().post(null, travel(), "read of " + name, () -> {
            long value = site.register().read(sequencer);
            site.world().post(machine, travel(), "read answer", () -> {
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
        site.world().post(null, travel(), "write of " + name, () -> {
            boolean written = site.register().write(sequencer, read);
            if (waits) {
                site.world().post(machine, travel(), "write answer", () -> update(lease, written ? left - 1 : 0));
            }
        });
        if (!waits) {
            release(lease);
        }
    }

    private void lost(Lease lease) {
        site.overseer().told(lease);
        later(random.nextLong(400 * MILLI), name + " heard of the loss", () -> release(lease));
    }

    private void release(Lease lease) {
        if (state != State.HOLDING || held == null || held.lease != lease) {
            return;
        }
        state = State.RELEASING;
        mark();
        Held ended = held;
        site.overseer().releases(ended);
        lease.releaseAsync().whenComplete((outcome, failure) -> released(ended, outcome, failure));
        if (random.nextInt(10) == 0) {
            lease.releaseAsync()
                    .whenComplete((outcome, failure) -> site.overseer().again(ended, outcome));
        }
    }

    private void released(Held ended, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
        if (failure != null || outcome == null) {
            site.overseer().fail(Rule.P6_RELEASE, "a release failed with " + failure);
            return;
        }
        site.overseer().bounded(this, site.plan().ioTimeout.toNanos(), "the release of " + ended);
        site.overseer().ended(ended, outcome);
        site.world().note(client.name(), name + " released token " + ended.lease.token() + ": " + outcome);
        held = null;
        state = State.IDLE;
        think();
    }

    private long travel() {
        return random.nextInt(site.plan().passing ? 40 : 8) == 0
                ? random.nextLong(900 * MILLI)
                : random.nextLong(2 * MILLI);
    }

    private void mark() {
        since = machine.nanos();
        stopsBefore = machine.stoppedNanos();
    }

    private void later(long nanos, String what, Runnable action) {
        site.world().post(machine, nanos, what, action);
    }
}
