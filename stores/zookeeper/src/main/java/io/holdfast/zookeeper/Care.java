package io.holdfast.zookeeper;

import io.holdfast.Scheduler;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the places that hold: ends those whose TTL is over, because a session has one timeout and leases have
 * their own, and watches the nodes of those that have lived for a moment (U4). Most leases end sooner, and a watch is a
 * request of its own; until it is set, a deletion by an operator is noticed that much later.
 *
 * <p>One timer for all, which runs only while there is something to look after.
 */
final class Care {
    private static final long LOOK_NANOS = 50_000_000;

    private final SessionStore<?> store;
    private final Set<Kept> held = ConcurrentHashMap.newKeySet();
    private volatile long nextLook;
    private Scheduler.@Nullable Timer timer;
    private volatile boolean armed;

    Care(SessionStore<?> store) {
        this.store = store;
    }

    void add(Kept place, long now) {
        held.add(place);
        if (!armed || nextLook - now > LOOK_NANOS) {
            wakeBy(now + LOOK_NANOS, now);
        }
    }

    void remove(Kept place) {
        held.remove(place);
    }

    private synchronized void wakeBy(long at, long now) {
        if (timer != null) {
            if (nextLook - at <= 0) {
                return;
            }
            timer.cancel();
        }
        nextLook = at;
        armed = true;
        timer = store.scheduler().schedule(this::look, Math.max(0, at - now));
    }

    private void look() {
        synchronized (this) {
            timer = null;
            armed = false;
        }
        long now = store.now();
        long next = Long.MAX_VALUE;
        Iterator<Kept> each = held.iterator();
        while (each.hasNext()) {
            Kept place = each.next();
            if (!place.isHeld()) {
                each.remove();
                continue;
            }
            if (!place.isArmed()) {
                Outcomes.guarded(() -> place.arm(failure -> {}));
            }
            long left = place.ends() - now;
            if (left <= 0) {
                Outcomes.guarded(() -> place.expire(now));
            } else {
                next = Math.min(next, left);
            }
        }
        if (next != Long.MAX_VALUE) {
            wakeBy(now + next, now);
        }
    }
}
