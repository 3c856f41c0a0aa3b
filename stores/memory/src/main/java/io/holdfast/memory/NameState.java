package io.holdfast.memory;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Refused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One name of a {@link LockTable}: its grants in grant order and its queue in the order of arrival. */
final class NameState {
    private static final Map<HolderId, Waiter> EMPTY_QUEUE = Map.of();

    /** How long the place of a dead waiter is kept. */
    private static final long KEPT_NANOS = 1_000_000_000;

    private static final Duration LONGEST = Duration.ofDays(365);

    /** A place in the queue; dead when its deadline has come. */
    record Waiter(Claim claim, long deadline) {
        boolean alive(long now) {
            return deadline - now > 0;
        }

        boolean gone(long now) {
            return deadline + KEPT_NANOS - now <= 0;
        }
    }

    final String name;
    final List<Holding> holdings = new ArrayList<>(1);
    private Map<HolderId, Waiter> queue = EMPTY_QUEUE;

    NameState(String name) {
        this.name = name;
    }

    boolean idle() {
        return holdings.isEmpty() && queue.isEmpty();
    }

    /** Whether the grants there are leave room for {@code claim}: lock-delay closes the name to all claims (U17). */
    boolean hasRoomFor(Claim claim, long now) {
        for (int i = 0; i < holdings.size(); i++) {
            Holding other = holdings.get(i);
            if (!other.inForce(now) || claim.mode() == Mode.EXCLUSIVE || other.claim.mode() != claim.mode()) {
                return false;
            }
        }
        return claim.mode() != Mode.PERMIT || holdings.size() < claim.permits();
    }

    @Nullable
    Holding holding(HolderId holder) {
        for (int i = 0; i < holdings.size(); i++) {
            if (holdings.get(i).claim.holder().equals(holder)) {
                return holdings.get(i);
            }
        }
        return null;
    }

    void append(Claim claim, long deadline) {
        if (queue == EMPTY_QUEUE) {
            queue = new LinkedHashMap<>();
        }
        queue.put(claim.holder(), new Waiter(claim, deadline));
    }

    boolean waits(HolderId holder) {
        return queue.containsKey(holder);
    }

    /** Another deadline for a waiter, at its old place. */
    boolean move(HolderId holder, long deadline) {
        Waiter waiter = queue.get(holder);
        if (waiter == null) {
            return false;
        }
        queue.put(holder, new Waiter(waiter.claim, deadline));
        return true;
    }

    boolean leave(HolderId holder) {
        return !queue.isEmpty() && queue.remove(holder) != null;
    }

    /**
     * The first waiter that is alive. One whose wait has ended is passed over but keeps its place for a moment, in case
     * its client gives it to another thread (L9); then it is taken out and reported.
     */
    @Nullable
    Waiter firstLive(long now, List<Push> pushes) {
        if (queue.isEmpty()) {
            return null;
        }
        Iterator<Waiter> waiters = queue.values().iterator();
        while (waiters.hasNext()) {
            Waiter waiter = waiters.next();
            if (waiter.alive(now)) {
                return waiter;
            }
            if (waiter.gone(now)) {
                waiters.remove();
                pushes.add(new Push.Dropped(waiter.claim));
            }
        }
        return null;
    }

    /** Any waiter in the queue. */
    @Nullable
    Waiter first() {
        return queue.isEmpty() ? null : queue.values().iterator().next();
    }

    /** When the fate of those at the head of the queue may change by time alone. */
    OptionalLong nextChange(long now) {
        if (queue.isEmpty()) {
            return OptionalLong.empty();
        }
        long next = now + Nanos.of(LONGEST);
        for (Waiter waiter : queue.values()) {
            boolean alive = waiter.alive(now);
            next = earlier(next, alive ? waiter.deadline : waiter.deadline + KEPT_NANOS);
            if (alive) {
                break;
            }
        }
        for (Holding holding : holdings) {
            next = earlier(next, holding.closedUntil());
        }
        return OptionalLong.of(next);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }

    @Nullable
    Holder anyHolder(long now) {
        for (Holding holding : holdings) {
            if (holding.inForce(now)) {
                return holding.holder(now);
            }
        }
        return null;
    }

    Refused obstacle(long now) {
        Holder holder = anyHolder(now);
        Duration closed = holdings.isEmpty() ? null : closedFor(now);
        boolean delay = holder == null && closed != null && !closed.isZero();
        return new Refused(holder, closed, delay, delay ? closed : null);
    }

    /** How long the grants there are keep the name closed if they are not renewed. */
    Duration closedFor(long now) {
        long longest = 0;
        for (Holding holding : holdings) {
            longest = Math.max(longest, holding.closedUntil() - now);
        }
        return Duration.ofNanos(longest);
    }

    /** How much longer leases that ended without a release keep the name closed. */
    Duration delayLeft(long now) {
        long longest = 0;
        for (Holding holding : holdings) {
            if (!holding.inForce(now)) {
                longest = Math.max(longest, holding.closedUntil() - now);
            }
        }
        return Duration.ofNanos(longest);
    }

    List<Holder> holders(long now) {
        List<Holder> holders = new ArrayList<>(holdings.size());
        for (Holding holding : holdings) {
            if (holding.inForce(now)) {
                holders.add(holding.holder(now));
            }
        }
        return holders;
    }

    boolean revoked(long now) {
        return holdings.stream().anyMatch(holding -> holding.revoked() && !holding.over(now));
    }

    int waiting(long now) {
        return (int) queue.values().stream().filter(waiter -> waiter.alive(now)).count();
    }
}
