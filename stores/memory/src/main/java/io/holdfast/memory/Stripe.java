package io.holdfast.memory;

import io.holdfast.LockStatus;
import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The names of a {@link MemorySpace} that share a lock: a {@link LockTable} with a clock, the tickets of the claims that
 * wait in it, and one alarm per waited-for name that runs <em>advance</em> when a lease ends (L4).
 *
 * <p>Invariants: I1: tickets and alarms are touched under the lock only. I2: a ticket is completed outside of it, by the
 * thread whose transition granted it. I3: a name with waiters has an alarm no later than {@link
 * LockTable#nextAdvance}, on the scheduler of a store that is open: when a store closes, its alarms move to the stores
 * of the claims that still wait.
 */
final class Stripe {
    /** One step of the table. */
    interface Transition<T> {
        T apply(LockTable table, long now, long wallMicros);
    }

    /** What was decided, and the ticket of a claim that waits. */
    record Answer(Decision decision, @Nullable MemoryTicket ticket) {}

    /** A grant on its way to its ticket. */
    private record Delivery(MemoryTicket ticket, Granted grant) {
        void make() {
            ticket.deliver(grant);
        }
    }

    /** When a name is looked at next, and on whose scheduler. */
    private record Alarm(long at, MemoryLockStore store, Scheduler.Timer timer) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Ticker clock;
    private final int buckets;
    private final Map<HolderId, MemoryTicket> tickets = new HashMap<>();
    private final Map<String, Alarm> alarms = new HashMap<>();
    private LockTable table;

    Stripe(Ticker clock, int buckets) {
        this.clock = clock;
        this.buckets = buckets;
        this.table = new LockTable(buckets);
    }

    /** Runs one transition and delivers what it pushed. */
    <T> T run(String name, Transition<T> transition) {
        List<Delivery> deliveries;
        T result;
        lock.lock();
        try {
            long now = clock.nanos();
            result = transition.apply(table, now, clock.wallMicros());
            deliveries = settle(name, now);
        } finally {
            lock.unlock();
        }
        deliveries.forEach(Delivery::make);
        return result;
    }

    /** Runs a transition that may leave the claim waiting, and then gives it a ticket; not for a closed store. */
    Answer runQueued(MemoryLockStore store, Claim claim, Transition<Decision> transition) {
        return run(claim.lockName(), (table, now, wall) -> {
            if (!store.isOpen()) {
                return new Answer(new Decision.Withdrawn(new Refused(null, null, false, null)), null);
            }
            Decision decision = transition.apply(table, now, wall);
            MemoryTicket ticket = decision instanceof Decision.Waiting
                    ? tickets.computeIfAbsent(claim.holder(), id -> new MemoryTicket(store, this, claim))
                    : null;
            return new Answer(decision, ticket);
        });
    }

    ReleaseResult release(Claim claim) {
        return run(claim.lockName(), (table, now, wall) -> {
            if (!tickets.isEmpty()) {
                tickets.remove(claim.holder());
            }
            return table.release(claim, now, wall);
        });
    }

    boolean extend(Claim claim, Duration wait) {
        return run(claim.lockName(), (table, now, wall) -> table.extend(claim, now + Nanos.of(wait)));
    }

    /** Withdraws all claims that wait through {@code store}. */
    void leave(MemoryLockStore store) {
        List<MemoryTicket> leaving;
        lock.lock();
        try {
            leaving = tickets.values().stream()
                    .filter(ticket -> ticket.store == store)
                    .toList();
        } finally {
            lock.unlock();
        }
        for (MemoryTicket ticket : leaving) {
            release(ticket.claim);
            ticket.placeLost("its store was closed");
        }
        lock.lock();
        try {
            List<String> orphans = new ArrayList<>();
            alarms.forEach((name, alarm) -> {
                if (alarm.store == store) {
                    orphans.add(name);
                }
            });
            long now = clock.nanos();
            orphans.forEach(name -> arm(name, now));
        } finally {
            lock.unlock();
        }
    }

    /** The status of the names that begin with {@code prefix}. */
    List<LockStatus> list(String prefix) {
        return run("", (table, now, wall) -> table.list(prefix, now, wall));
    }

    /** Forgets everything, as a server that comes back without its data does. */
    void loseData() {
        List<MemoryTicket> waiting;
        lock.lock();
        try {
            waiting = List.copyOf(tickets.values());
            tickets.clear();
            alarms.values().forEach(alarm -> alarm.timer.cancel());
            alarms.clear();
            table = new LockTable(buckets);
        } finally {
            lock.unlock();
        }
        waiting.forEach(ticket -> ticket.placeLost("the store lost its data"));
    }

    private List<Delivery> settle(String name, long now) {
        List<Push> pushes = table.takePushes();
        if (pushes.isEmpty() && tickets.isEmpty() && alarms.isEmpty()) {
            return List.of();
        }
        List<Delivery> deliveries = new ArrayList<>(pushes.size());
        for (Push push : pushes) {
            MemoryTicket ticket = tickets.remove(push.claim().holder());
            if (ticket != null && push instanceof Push.Handed handed) {
                deliveries.add(new Delivery(ticket, granted(ticket, handed.grant(), now)));
            }
        }
        arm(name, now);
        return deliveries;
    }

    /**
     * The grant as its waiter counts it: from the reading {@code now} that the transition used, which was taken before
     * it. A waiter with another ticker than the space gets the same moment on its own: what has passed since {@code
     * now} on the space's clock, read last, is taken off a reading of the waiter's.
     */
    private Granted granted(MemoryTicket ticket, Decision.Grant grant, long now) {
        Ticker ticker = ticket.store.ticker();
        long sent = ticker.nanos();
        sent = ticker == clock ? now : sent - (clock.nanos() - now);
        return new Granted(grant.token(), grant.span(), new Term(sent, grant.nanos()));
    }

    private void arm(String name, long now) {
        Alarm alarm = alarms.get(name);
        OptionalLong next = table.nextAdvance(name, now);
        boolean good = alarm != null && next.isPresent() && alarm.at - next.getAsLong() <= 0 && alarm.store.isOpen();
        if (good || (alarm == null && next.isEmpty())) {
            return;
        }
        if (alarm != null) {
            alarm.timer.cancel();
            alarms.remove(name);
        }
        Claim first = table.firstWaiter(name);
        MemoryTicket ticket = first == null ? null : tickets.get(first.holder());
        if (ticket != null && next.isPresent()) {
            long at = next.getAsLong();
            alarms.put(name, new Alarm(at, ticket.store, ticket.store.schedule(() -> ring(name, at), at - now)));
        }
    }

    private void ring(String name, long at) {
        run(name, (table, now, wall) -> {
            Alarm alarm = alarms.get(name);
            if (alarm != null && alarm.at == at) {
                alarms.remove(name);
            }
            table.advance(name, now, wall);
            return at;
        });
    }
}
