package io.holdfast.sim;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Promise 3: a lock that is free at the store, with a live waiter whom no fault touched lately, is granted soon,
 * whoever died. Promise 5: no call takes longer than it may.
 */
final class Liveness {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** With four clients and sections of 50 ms no client waits longer (L12, L21). */
    private static final long LONGEST_TURN = 2 * SECOND;

    /** A release that is not answered is repeated after 2 s at most, and then travels. */
    private static final long RELEASED_WITHIN = 2 * SECOND + SECOND / 2;

    private final World world;
    private final Plan plan;
    private final Rules rules;
    private final Ledger ledger;
    private final LockServer server;
    private final Overseer overseer;
    private final Supplier<List<Client>> clients;
    private final long bound;

    Liveness(Site site, Rules rules, Supplier<List<Client>> clients) {
        this.world = site.world();
        this.plan = site.plan();
        this.rules = rules;
        this.ledger = site.ledger();
        this.server = site.server();
        this.overseer = site.overseer();
        this.clients = clients;
        // 2 s, a pause, an answer; and the second that a client may pause after what happened before.
        this.bound = 3 * SECOND + 2 * plan.ioTimeout.toNanos() + SECOND / 5;
    }

    void check() {
        if (world.steps() % 16 == 0) {
            checkOrphans();
        }
        for (Client client : clients.get()) {
            if (client.machine().isRunning()) {
                for (Task task : client.tasks()) {
                    check(client, task);
                }
            }
        }
    }

    private void check(Client client, Task task) {
        Ask ask = task.ask();
        if (ask == null || task.state() == Task.State.IDLE || task.state() == Task.State.HOLDING) {
            return;
        }
        boolean waiting = task.state() == Task.State.WAITING;
        long wait = waiting && !ask.once() ? ask.longest().toNanos() : 0;
        overseer.bounded(
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
        long quiet = world.now() - Math.max(client.disturbedAt(), overseer.storeDisturbedAt());
        if (quiet > bound && !holds(client, ask.name())) {
            rules.require(
                    Rule.P3_DEATH,
                    ledger.freeFor(ask.name()) <= bound,
                    () -> client.name() + " waits for " + ask + ", which is free at the store for "
                            + ledger.freeFor(ask.name()) / 1_000_000 + " ms");
        }
    }

    /** At the end of a run in a loop: each client had about as many turns as any other. */
    void checkTurns() {
        List<Integer> turns = clients.get().stream()
                .map(client -> client.tasks().stream().mapToInt(Task::turns).sum())
                .sorted()
                .toList();
        rules.require(
                Rule.L12_TURNS,
                turns.get(turns.size() - 1) <= 2 * turns.get(0),
                () -> "the clients had " + turns + " turns");
    }

    /** Whether the client believes in a lease of that name, which the store may have lost. */
    private static boolean holds(Client client, String name) {
        return client.tasks().stream()
                .map(Task::held)
                .anyMatch(held -> held != null && held.lease.lockName().equals(name));
    }

    /** A grant that nobody uses, of a client that is well, is released before its TTL ends. */
    private void checkOrphans() {
        for (Ledger.Entry entry : ledger.live()) {
            if (ledger.age(entry) < RELEASED_WITHIN || overseer.isUsed(entry) || isExcused(entry)) {
                continue;
            }
            Client owner = overseer.sender(entry.claim).orElseThrow();
            long unwell = Math.max(Math.max(owner.disturbedAt(), overseer.storeDisturbedAt()), overseer.endedAt(entry));
            boolean well = owner.machine().isRunning() && world.now() - unwell > RELEASED_WITHIN;
            if (well && !owner.awaits(entry.claim)) {
                rules.fail(
                        Rule.P5_NOTHING_LEFT, "nobody has used this grant for long, and it is not released: " + entry);
            }
            rules.require(Rule.P5_NOTHING_LEFT, true, () -> "");
        }
    }

    /** Whether nobody is left, or nobody could know, who would release this grant. */
    boolean isExcused(Ledger.Entry entry) {
        Client owner = overseer.sender(entry.claim).orElse(null);
        return owner == null
                || owner.machine().isDead()
                || owner.isClosing()
                || server.grantedToLatecomer(entry.claim.holder())
                || (entry.epoch > 0 && ledger.wasReleased(entry.claim.holder()));
    }
}
