package io.holdfast.sim.client;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import io.holdfast.engine.client.HoldfastClient;
import io.holdfast.sim.check.HeldLease;
import io.holdfast.sim.check.ObservedClient;
import io.holdfast.sim.plan.Fault;
import io.holdfast.sim.plan.LockRequest;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.plan.Situation;
import io.holdfast.sim.world.Machine;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** One process with the real engine, its tasks and its side of the network. */
public final class Client implements HoldfastListener, ObservedClient {
    private final String name;
    private final RunContext run;
    private final FaultLog faults;
    private final Machine machine;
    private final SimStore store;
    private final Holdfast holdfast;
    private final List<Task> tasks = new ArrayList<>();
    private long cutUntil;
    private long disturbedAt;
    private boolean closing;
    private long ambush;

    public Client(String name, RunContext run, FaultLog faults, Machine machine, SplittableRandom random) {
        this.name = name;
        this.run = run;
        this.faults = faults;
        this.machine = machine;
        this.store = switch (run.plan().waiting) {
            case QUEUE -> new QueueingSimStore(this, run);
            case WATCH -> new WatchableSimStore(this, run);
            case PULL -> new SimStore(this, run);
        };
        this.holdfast = Holdfast.builder()
                .store(store)
                .label(name)
                .ticker(ticker())
                .scheduler(scheduler(random.split()))
                .executor(machine)
                .random(random.split())
                .handoffTime(run.plan().handoffTime)
                .listener(this)
                .open();
        for (int i = 0; i < run.plan().tasks; i++) {
            tasks.add(new Task(this, run, random.split(), name + "." + i));
        }
        tasks.forEach(Task::think);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Machine machine() {
        return machine;
    }

    public Holdfast holdfast() {
        return holdfast;
    }

    public FaultLog faults() {
        return faults;
    }

    @Override
    public Duration ioTimeout() {
        return run.plan().ioTimeout;
    }

    @Override
    public List<Task> tasks() {
        return tasks;
    }

    public boolean isCut() {
        return run.world().now() < cutUntil;
    }

    @Override
    public boolean isClosing() {
        return closing;
    }

    @Override
    public long disturbedAt() {
        return Math.max(Math.max(disturbedAt, cutUntil), machine.lastResumed());
    }

    public void disturbed() {
        disturbedAt = run.world().now();
    }

    /** The process will be paused as soon as its next renewal is under way. */
    public void ambush(long nanos) {
        ambush = nanos;
    }

    /** A renewal is under way. */
    public void renewalSent() {
        if (ambush > 0 && !run.isDraining()) {
            faults.happened(Fault.PAUSE, this);
            machine.pause(ambush);
            ambush = 0;
        }
    }

    /** Nothing passes between this client and the store for a while. */
    public void cut(long nanos) {
        cutUntil = Math.max(cutUntil, run.world().now() + nanos);
        run.world().post(machine, nanos / 10, "disconnected", () -> store.connection(false));
        run.world().post(machine, nanos, "connected", () -> store.connection(true));
    }

    /** Closes the client in good order; {@code done} runs when it is. */
    public void close(Runnable done) {
        closing = true;
        long since = machine.nanos();
        long stopsBefore = machine.stoppedNanos();
        // close() is this, and then it waits; nothing waits in this world.
        ((HoldfastClient) holdfast).closeAsync().whenComplete((nothing, failure) -> {
            long took = machine.nanos() - since - (machine.stoppedNanos() - stopsBefore);
            run.observer().closed(this, took, failure);
            done.run();
        });
    }

    public void pushed(Claim claim, Granted granted) {
        if (store instanceof QueueingSimStore queueing) {
            queueing.pushed(claim, granted);
        }
    }

    public void dropped(Claim claim) {
        if (store instanceof QueueingSimStore queueing) {
            queueing.dropped(claim);
        }
    }

    public void hint(String lockName) {
        if (store instanceof WatchableSimStore watchable) {
            watchable.hint(lockName);
        }
    }

    /** Whether the engine still waits for an answer about this claim. */
    @Override
    public boolean awaits(Claim claim) {
        return store.isAsking(claim.lockName())
                || (store instanceof QueueingSimStore queueing && queueing.isQueued(claim));
    }

    /** What the engine has left open at the store's client. */
    public int leftOpen() {
        if (store instanceof QueueingSimStore queueing) {
            return queueing.open();
        }
        return store instanceof WatchableSimStore watchable ? watchable.open() : 0;
    }

    /** Where this client is now, with all its tasks. */
    public Set<Situation> situations() {
        Set<Situation> found = EnumSet.noneOf(Situation.class);
        for (Task task : tasks) {
            LockRequest ask = task.request();
            if (ask == null) {
                continue;
            }
            switch (task.state()) {
                case WAITING -> found.add(store.isAsking(ask.name()) ? Situation.ASKING : Situation.WAITING);
                case HOLDING -> holding(task, found);
                case RELEASING -> found.add(Situation.RELEASING);
                case IDLE -> {}
            }
            if (run.ledger().inLockDelay(ask.name())) {
                found.add(Situation.LOCK_DELAY);
            }
        }
        if (run.observer().hasUnseenGrant(this)) {
            found.add(Situation.GRANTED_UNAWARE);
        }
        return found;
    }

    private void holding(Task task, Set<Situation> found) {
        HeldLease held = task.held();
        if (held == null) {
            return;
        }
        boolean over = held.lease.remaining().isZero();
        if (over) {
            found.add(Situation.LOST);
            return;
        }
        found.add(held.lease.state() == LeaseState.JEOPARDY ? Situation.JEOPARDY : Situation.HOLDING);
        if (held.entry.token != held.lease.token()) {
            found.add(Situation.HANDED_OFF);
        }
        for (Task other : tasks) {
            LockRequest ask = other.request();
            if (other.state() == Task.State.WAITING && ask != null && ask.name().equals(held.lease.lockName())) {
                found.add(Situation.HOLDING_WITH_QUEUE);
            }
        }
    }

    @Override
    public void onGranted(Lease lease, Duration waited) {
        run.observer().issued(this, lease, false);
    }

    @Override
    public void onHandedOff(Lease lease, Duration waited) {
        run.observer().issued(this, lease, true);
    }

    @Override
    public void onRenewed(Lease lease, Duration remaining) {
        run.observer().renewed(lease);
    }

    @Override
    public void onLost(Lease lease, Loss loss) {
        run.world().note(name, "loses " + lease.lockName() + " token " + lease.token() + ": " + loss.reason());
        run.observer().lost(lease, loss.reason());
    }

    private Ticker ticker() {
        if (run.planted() != PlantedBug.UNSEEN_SUSPEND) {
            return machine;
        }
        return new Ticker() {
            @Override
            public long nanos() {
                return machine.nanos();
            }

            @Override
            public long wallMicros() {
                return machine.nanos() / 1000;
            }
        };
    }

    private Scheduler scheduler(SplittableRandom random) {
        if (run.planted() != PlantedBug.FORGETS_TIMERS) {
            return machine;
        }
        return (task, delay) -> random.nextInt(20) == 0 ? () -> {} : machine.schedule(task, delay);
    }
}
