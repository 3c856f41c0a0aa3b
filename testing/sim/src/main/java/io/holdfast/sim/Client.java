package io.holdfast.sim;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import io.holdfast.engine.client.HoldfastClient;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** One process with the real engine, its tasks and its side of the network. */
final class Client implements HoldfastListener {
    private final String name;
    private final Site site;
    private final Faults faults;
    private final Machine machine;
    private final SimStore store;
    private final Holdfast holdfast;
    private final List<Task> tasks = new ArrayList<>();
    private long cutUntil;
    private long disturbedAt;
    private boolean closing;
    private long ambush;

    Client(String name, Site site, Faults faults, Machine machine, SplittableRandom random) {
        this.name = name;
        this.site = site;
        this.faults = faults;
        this.machine = machine;
        this.store = switch (site.plan().waiting) {
            case QUEUE -> new QueueingSimStore(this, site);
            case WATCH -> new WatchableSimStore(this, site);
            case PULL -> new SimStore(this, site);
        };
        this.holdfast = Holdfast.builder()
                .store(store)
                .label(name)
                .ticker(ticker())
                .scheduler(scheduler(random.split()))
                .executor(machine)
                .random(random.split())
                .handoffTime(site.plan().handoffTime)
                .listener(this)
                .open();
        for (int i = 0; i < site.plan().tasks; i++) {
            tasks.add(new Task(this, site, random.split(), name + "." + i));
        }
        tasks.forEach(Task::think);
    }

    String name() {
        return name;
    }

    Machine machine() {
        return machine;
    }

    Holdfast holdfast() {
        return holdfast;
    }

    Faults faults() {
        return faults;
    }

    Duration ioTimeout() {
        return site.plan().ioTimeout;
    }

    List<Task> tasks() {
        return tasks;
    }

    boolean isCut() {
        return site.world().now() < cutUntil;
    }

    boolean isClosing() {
        return closing;
    }

    long disturbedAt() {
        return Math.max(Math.max(disturbedAt, cutUntil), machine.lastResumed());
    }

    void disturbed() {
        disturbedAt = site.world().now();
    }

    /** The process will be paused as soon as its next renewal is under way. */
    void ambush(long nanos) {
        ambush = nanos;
    }

    /** A renewal is under way. */
    void renewalSent() {
        if (ambush > 0 && !site.isDraining()) {
            faults.happened(Fault.PAUSE, this);
            machine.pause(ambush);
            ambush = 0;
        }
    }

    /** Nothing passes between this client and the store for a while. */
    void cut(long nanos) {
        cutUntil = Math.max(cutUntil, site.world().now() + nanos);
        site.world().post(machine, nanos / 10, "disconnected", () -> store.connection(false));
        site.world().post(machine, nanos, "connected", () -> store.connection(true));
    }

    /** Closes the client in good order; {@code done} runs when it is. */
    void close(Runnable done) {
        closing = true;
        long since = machine.nanos();
        long stopsBefore = machine.stoppedNanos();
        // close() is this, and then it waits; nothing waits in this world.
        ((HoldfastClient) holdfast).closeAsync().whenComplete((nothing, failure) -> {
            long took = machine.nanos() - since - (machine.stoppedNanos() - stopsBefore);
            site.overseer().closed(this, took, failure);
            done.run();
        });
    }

    void pushed(Claim claim, Granted granted) {
        if (store instanceof QueueingSimStore queueing) {
            queueing.pushed(claim, granted);
        }
    }

    void dropped(Claim claim) {
        if (store instanceof QueueingSimStore queueing) {
            queueing.dropped(claim);
        }
    }

    void hint(String lockName) {
        if (store instanceof WatchableSimStore watchable) {
            watchable.hint(lockName);
        }
    }

    /** Whether the engine still waits for an answer about this claim. */
    boolean awaits(Claim claim) {
        return store.isAsking(claim.lockName())
                || (store instanceof QueueingSimStore queueing && queueing.isQueued(claim));
    }

    /** What the engine has left open at the store's client. */
    int leftOpen() {
        if (store instanceof QueueingSimStore queueing) {
            return queueing.open();
        }
        return store instanceof WatchableSimStore watchable ? watchable.open() : 0;
    }

    /** Where this client is now, with all its tasks. */
    Set<Situation> situations() {
        Set<Situation> found = EnumSet.noneOf(Situation.class);
        for (Task task : tasks) {
            Ask ask = task.ask();
            if (ask == null) {
                continue;
            }
            switch (task.state()) {
                case WAITING -> found.add(store.isAsking(ask.name()) ? Situation.ASKING : Situation.WAITING);
                case HOLDING -> holding(task, found);
                case RELEASING -> found.add(Situation.RELEASING);
                case IDLE -> {}
            }
            if (site.ledger().inLockDelay(ask.name())) {
                found.add(Situation.LOCK_DELAY);
            }
        }
        if (site.overseer().hasUnseenGrant(this)) {
            found.add(Situation.GRANTED_UNAWARE);
        }
        return found;
    }

    private void holding(Task task, Set<Situation> found) {
        Held held = task.held();
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
            Ask ask = other.ask();
            if (other.state() == Task.State.WAITING && ask != null && ask.name().equals(held.lease.lockName())) {
                found.add(Situation.HOLDING_WITH_QUEUE);
            }
        }
    }

    @Override
    public void onGranted(Lease lease, Duration waited) {
        site.overseer().issued(this, lease, false);
    }

    @Override
    public void onHandedOff(Lease lease, Duration waited) {
        site.overseer().issued(this, lease, true);
    }

    @Override
    public void onRenewed(Lease lease, Duration remaining) {
        site.overseer().renewed(lease);
    }

    @Override
    public void onLost(Lease lease, Loss loss) {
        site.world().note(name, "loses " + lease.lockName() + " token " + lease.token() + ": " + loss.reason());
        site.overseer().lost(lease, loss.reason());
    }

    private Ticker ticker() {
        if (site.planted() != Planted.UNSEEN_SUSPEND) {
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
        if (site.planted() != Planted.FORGETS_TIMERS) {
            return machine;
        }
        return (task, delay) -> random.nextInt(20) == 0 ? () -> {} : machine.schedule(task, delay);
    }
}
