package io.holdfast.zookeeper.lease;

import io.holdfast.Scheduler;
import io.holdfast.zookeeper.session.TaskFailures;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Ends held claims whose TTL is over, and sets the watches of their nodes (U4).
 *
 * <p>A session has one timeout, and each lease has its own TTL; so the client deletes the node of a lease that was not
 * renewed in time. The watch of a node is set 50 ms after its grant: it is a request of its own, and most
 * leases end sooner. Until then a deletion by an operator is not noticed.
 *
 * <p>One timer serves all claims; it runs only while there are held ones. Thread-safe.
 */
final class LeaseExpiry {
    private static final long LOOK_NANOS = 50_000_000;

    private final StoreSetup setup;
    private final Set<SessionClaim> held = ConcurrentHashMap.newKeySet();
    private volatile long nextLook;
    private volatile boolean scheduled;
    private Scheduler.@Nullable Timer timer;

    LeaseExpiry(StoreSetup setup) {
        this.setup = setup;
    }

    void add(SessionClaim claim, long now) {
        held.add(claim);
        if (!scheduled || nextLook - now > LOOK_NANOS) {
            wakeBy(now + LOOK_NANOS, now);
        }
    }

    void remove(SessionClaim claim) {
        held.remove(claim);
    }

    private synchronized void wakeBy(long at, long now) {
        if (timer != null) {
            if (nextLook - at <= 0) {
                return;
            }
            timer.cancel();
        }
        nextLook = at;
        scheduled = true;
        timer = setup.context().scheduler().schedule(this::look, Math.max(0, at - now));
    }

    private void look() {
        synchronized (this) {
            timer = null;
            scheduled = false;
        }
        long now = setup.now();
        long next = Long.MAX_VALUE;
        Iterator<SessionClaim> each = held.iterator();
        while (each.hasNext()) {
            SessionClaim claim = each.next();
            if (!claim.isHeld()) {
                each.remove();
                continue;
            }
            TaskFailures.logged(claim::watchNode);
            long left = claim.ends() - now;
            if (left <= 0) {
                TaskFailures.logged(() -> claim.expire(now));
            } else {
                next = Math.min(next, left);
            }
        }
        if (next != Long.MAX_VALUE) {
            wakeBy(now + next, now);
        }
    }
}
