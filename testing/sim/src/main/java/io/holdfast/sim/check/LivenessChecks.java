package io.holdfast.sim.check;

import io.holdfast.sim.plan.LockRequest;
import io.holdfast.sim.plan.SeedPlan;
import io.holdfast.sim.world.World;
import io.holdfast.spi.HolderId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Checks promise 3: a lock that is free at the store is granted soon to a live waiter that met no fault lately. Checks
 * promise 5: no call takes longer than it may.
 */
public final class LivenessChecks {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** With four clients and sections of 50 ms no client waits longer (L12, L21). */
    private static final long LONGEST_TURN = 2 * SECOND;

    /** A release that is not answered is repeated after 2 s at most, and then travels. */
    private static final long RELEASED_WITHIN = 2 * SECOND + SECOND / 2;

    private final World world;
    private final SeedPlan plan;
    private final Rules rules;
    private final GrantLedger ledger;
    private final Predicate<HolderId> grantedToLatecomer;
    private final ClientObserver observer;
    private final Supplier<? extends List<? extends ObservedClient>> clients;
    private final long bound;

    /**
     * Over all that a run has.
     *
     * @param grantedToLatecomer whether the store granted a claim after its client had given up waiting for the answer
     */
    public LivenessChecks(
            SeedPlan plan,
            World world,
            Rules rules,
            GrantLedger ledger,
            ClientObserver observer,
            Predicate<HolderId> grantedToLatecomer,
            Supplier<? extends List<? extends ObservedClient>> clients) {
        this.world = world;
        this.plan = plan;
        this.rules = rules;
        this.ledger = ledger;
        this.grantedToLatecomer = grantedToLatecomer;
        this.observer = observer;
        this.clients = clients;
        // 2 s, a pause, an answer; and the second that a client may pause after what happened before.
        this.bound = 3 * SECOND + 2 * plan.ioTimeout.toNanos() + SECOND / 5;
    }

    public void check() {
        if (world.steps() % 16 == 0) {
            checkOrphans();
        }
        for (ObservedClient client : clients.get()) {
            if (client.machine().isRunning()) {
                for (ObservedTask task : client.tasks()) {
                    check(client, task);
                }
            }
        }
    }

    private void check(ObservedClient client, ObservedTask task) {
        LockRequest ask = task.request();
        if (ask == null || task.state() == ObservedTask.State.IDLE || task.state() == ObservedTask.State.HOLDING) {
            return;
        }
        boolean waiting = task.state() == ObservedTask.State.WAITING;
        long wait = waiting && !ask.once() ? ask.longest().toNanos() : 0;
        observer.bounded(
                task, wait + plan.ioTimeout.toNanos(), waiting ? "an acquisition under way" : "a release under way");
        if (plan.loop && waiting) {
            rules.require(
                    Rule.L12_TURNS,
                    task.underWayNanos() <= LONGEST_TURN,
                    () -> client.name() + " waits for its turn for " + task.underWayNanos() / 1_000_000 + " ms");
        }
        if (!waiting || ask.once() || client.isClosing() || task.underWayNanos() <= bound) {
            return;
        }
        long quiet = world.now() - Math.max(client.disturbedAt(), observer.storeDisturbedAt());
        if (quiet > bound && !holds(client, ask.name())) {
            rules.require(
                    Rule.P3_DEATH,
                    ledger.freeFor(ask.name()) <= bound,
                    () -> client.name() + " waits for " + ask + ", which is free at the store for "
                            + ledger.freeFor(ask.name()) / 1_000_000 + " ms");
        }
    }

    /** At the end of a run in a loop: each client had about as many turns as any other. */
    public void checkTurns() {
        List<Integer> turns = clients.get().stream()
                .map(client ->
                        client.tasks().stream().mapToInt(ObservedTask::turns).sum())
                .sorted()
                .toList();
        rules.require(
                Rule.L12_TURNS,
                turns.get(turns.size() - 1) <= 2 * turns.get(0),
                () -> "the clients had " + turns + " turns");
    }

    /** Whether the client believes in a lease of that name, which the store may have lost. */
    private static boolean holds(ObservedClient client, String name) {
        return client.tasks().stream()
                .map(ObservedTask::held)
                .anyMatch(held -> held != null && held.lease.lockName().equals(name));
    }

    /** A client that is well releases a grant without a lease before its TTL ends. */
    private void checkOrphans() {
        for (GrantLedger.Entry entry : ledger.live()) {
            if (ledger.age(entry) < RELEASED_WITHIN || observer.isUsed(entry) || isExcused(entry)) {
                continue;
            }
            ObservedClient owner = observer.sender(entry.claim).orElseThrow();
            long unwell = Math.max(Math.max(owner.disturbedAt(), observer.storeDisturbedAt()), observer.endedAt(entry));
            boolean well = owner.machine().isRunning() && world.now() - unwell > RELEASED_WITHIN;
            if (well && !owner.awaits(entry.claim)) {
                rules.fail(
                        Rule.P5_NOTHING_LEFT,
                        "no lease has used this grant for long, and it is not released: " + entry);
            }
            rules.require(Rule.P5_NOTHING_LEFT, true, () -> "");
        }
    }

    /** Whether no client is left that would release this grant, or none can know of it. */
    public boolean isExcused(GrantLedger.Entry entry) {
        ObservedClient owner = observer.sender(entry.claim).orElse(null);
        return owner == null
                || owner.machine().isDead()
                || owner.isClosing()
                || grantedToLatecomer.test(entry.claim.holder())
                || (entry.epoch > 0 && ledger.wasReleased(entry.claim.holder()));
    }
}
