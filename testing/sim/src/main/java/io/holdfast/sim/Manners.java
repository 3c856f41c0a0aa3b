package io.holdfast.sim;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How clients should treat each other: the rules L8, L9 and L21.
 *
 * <p>L8 is about those who waited inside the client when it gave the lock up. One whose wait is about to end may try
 * once more, because a pause is cut at the remaining wait.
 */
final class Manners {
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(15);

    private record Waiting(Task task, long since) {
        boolean stillWaits() {
            return task.waitsOn() && task.since() == since;
        }
    }

    private record GivenUp(long at, List<Waiting> waiting) {}

    private final Plan plan;
    private final Rules rules;
    private final Map<String, GivenUp> givenUp = new HashMap<>();
    private final Map<String, Long> leavesUntil = new HashMap<>();

    Manners(Plan plan, Rules rules) {
        this.plan = plan;
        this.rules = rules;
    }

    /** The client releases a lease in good order. */
    void givesUp(Client client, Claim claim) {
        if (plan.waiting != Plan.Waiting.PULL || claim.mode() != Mode.EXCLUSIVE) {
            return;
        }
        List<Waiting> waiting = new ArrayList<>();
        for (Task task : client.tasks()) {
            Ask ask = task.ask();
            if (task.waitsOn() && ask != null && ask.name().equals(claim.lockName())) {
                waiting.add(new Waiting(task, task.since()));
            }
        }
        givenUp.put(key(client, claim), new GivenUp(client.machine().nanos(), waiting));
    }

    /** The client hears that others wait for a name that it has just released. */
    void standsBack(Client client, Claim claim, Duration howLong) {
        if (!howLong.isZero()) {
            leavesUntil.merge(key(client, claim), client.machine().nanos() + howLong.toNanos(), Math::max);
        }
    }

    /** The client asks for a lock. */
    void contends(Client client, Claim claim) {
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
                client.tasks().stream().anyMatch(task -> task.state() == Task.State.WAITING && !task.waitsOn());
        long passed = client.machine().nanos() - last.at;
        rules.require(
                Rule.L8_PAUSE,
                passed >= SHORTEST_PAUSE || urgent,
                () -> client.name() + " contends for " + claim.lockName() + " " + passed / 1000
                        + " µs after it gave the lock up");
    }

    /**
     * The client cancels a ticket it was queued with. Only the first of those who wait on counts: the local queue is
     * first come, first served, so a place that does not serve the first passes over nobody (ADR 4).
     */
    void givesPlaceUp(Client client, Claim claim) {
        Task next = null;
        boolean strangers = false;
        for (Task task : client.tasks()) {
            Ask ask = task.ask();
            if (task.state() != Task.State.WAITING || ask == null || !ask.name().equals(claim.lockName())) {
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
        Ask ask = next == null ? null : next.ask();
        rules.require(
                Rule.L9_PLACE,
                ask == null || !serves(claim, ask),
                () -> client.name() + " gives the place of " + claim + " up, which would have served " + ask);
    }

    private static boolean serves(Claim claim, Ask ask) {
        return claim.mode() == ask.mode()
                && claim.permits() == ask.permits()
                && claim.ttl().equals(ask.ttl())
                && claim.lockDelay().equals(ask.lockDelay());
    }

    private static String key(Client client, Claim claim) {
        return client.name() + " " + claim.lockName();
    }
}
