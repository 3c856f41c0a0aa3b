package io.holdfast.sim.check;

import io.holdfast.Mode;
import io.holdfast.sim.plan.LockRequest;
import io.holdfast.sim.plan.SeedPlan;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks fairness between clients: the rules L8, L9 and L21.
 *
 * <p>L8 is about the tasks that waited inside the client when it gave the lock up. A task whose wait is about to end may
 * try once more, because a pause is cut at the remaining wait.
 */
public final class FairnessChecks {
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(15);

    private record Waiting(ObservedTask task, long since) {
        boolean stillWaits() {
            return task.waitsOn() && task.since() == since;
        }
    }

    private record GivenUp(long at, List<Waiting> waiting) {}

    private final SeedPlan plan;
    private final Rules rules;
    private final Map<String, GivenUp> givenUp = new HashMap<>();
    private final Map<String, Long> leavesUntil = new HashMap<>();

    public FairnessChecks(SeedPlan plan, Rules rules) {
        this.plan = plan;
        this.rules = rules;
    }

    /** The client releases a lease in good order. */
    public void givesUp(ObservedClient client, Claim claim) {
        if (plan.waiting != SeedPlan.Waiting.PULL || claim.mode() != Mode.EXCLUSIVE) {
            return;
        }
        List<Waiting> waiting = new ArrayList<>();
        for (ObservedTask task : client.tasks()) {
            LockRequest ask = task.request();
            if (task.waitsOn() && ask != null && ask.name().equals(claim.lockName())) {
                waiting.add(new Waiting(task, task.since()));
            }
        }
        givenUp.put(key(client, claim), new GivenUp(client.machine().nanos(), waiting));
    }

    /** The client hears that others wait for a name that it has just released. */
    public void standsBack(ObservedClient client, Claim claim, Duration howLong) {
        if (!howLong.isZero()) {
            leavesUntil.merge(key(client, claim), client.machine().nanos() + howLong.toNanos(), Math::max);
        }
    }

    /** The client asks for a lock. */
    public void contends(ObservedClient client, Claim claim) {
        Long until = leavesUntil.remove(key(client, claim));
        if (until != null) {
            rules.require(
                    Rule.L21_STAND_BACK,
                    client.machine().nanos() >= until,
                    () -> client.name() + " claims " + claim.lockName() + " "
                            + (until - client.machine().nanos()) / 1000 + " µs too early");
        }
        GivenUp last = givenUp.remove(key(client, claim));
        if (last == null || last.waiting.stream().noneMatch(Waiting::stillWaits)) {
            return;
        }
        boolean urgent =
                client.tasks().stream().anyMatch(task -> task.state() == ObservedTask.State.WAITING && !task.waitsOn());
        long passed = client.machine().nanos() - last.at;
        rules.require(
                Rule.L8_PAUSE,
                passed >= SHORTEST_PAUSE || urgent,
                () -> client.name() + " contends for " + claim.lockName() + " " + passed / 1000
                        + " µs after it gave the lock up");
    }

    /**
     * The client cancels a ticket it was queued with. Only the first task that waits on counts: the local queue is
     * first come, first served, so a ticket that does not serve the first task serves none (ADR 4).
     */
    public void givesPlaceUp(ObservedClient client, Claim claim) {
        ObservedTask next = null;
        boolean strangers = false;
        for (ObservedTask task : client.tasks()) {
            LockRequest ask = task.request();
            if (task.state() != ObservedTask.State.WAITING
                    || ask == null
                    || !ask.name().equals(claim.lockName())) {
                continue;
            }
            if (!task.waitsOn()) {
                strangers |= !serves(claim, ask);
            } else if (next == null || task.askedInStep() < next.askedInStep()) {
                next = task;
            }
        }
        if (client.isClosing() || strangers) {
            // A wait that ends at this moment may still stand before the next one, and the place does not serve it.
            return;
        }
        LockRequest ask = next == null ? null : next.request();
        rules.require(
                Rule.L9_PLACE,
                ask == null || !serves(claim, ask),
                () -> client.name() + " gives the place of " + claim + " up, which would have served " + ask);
    }

    private static boolean serves(Claim claim, LockRequest ask) {
        return claim.mode() == ask.mode()
                && claim.permits() == ask.permits()
                && claim.ttl().equals(ask.ttl())
                && claim.lockDelay().equals(ask.lockDelay());
    }

    private static String key(ObservedClient client, Claim claim) {
        return client.name() + " " + claim.lockName();
    }
}
