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

    private final World world;
    private final Plan plan;
    private final Rules rules;
    private final Ledger ledger;
    private final Overseer overseer;
    private final Supplier<List<Client>> clients;
    private final long bound;
    private long storeDisturbedAt;

    Liveness(World world, Plan plan, Rules rules, Ledger ledger, Overseer overseer, Supplier<List<Client>> clients) {
        this.world = world;
        this.plan = plan;
        this.rules = rules;
        this.ledger = ledger;
        this.overseer = overseer;
        this.clients = clients;
        // 2 s, a pause, an answer; and the second that a client may pause after what happened before.
        this.bound = 3 * SECOND + 2 * plan.ioTimeout.toNanos() + SECOND / 5;
    }

    void storeDisturbed(long until) {
        storeDisturbedAt = Math.max(storeDisturbedAt, until);
    }

    void check() {
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
        if (!waiting || ask.once() || client.isClosing() || task.underWayNanos() <= bound) {
            return;
        }
        long quiet = world.now() - Math.max(client.disturbedAt(), storeDisturbedAt);
        if (quiet > bound) {
            rules.require(
                    Rule.P3_DEATH,
                    ledger.freeFor(ask.name()) <= bound,
                    () -> client.name() + " waits for " + ask + ", which is free at the store for "
                            + ledger.freeFor(ask.name()) / 1_000_000 + " ms");
        }
    }
}
