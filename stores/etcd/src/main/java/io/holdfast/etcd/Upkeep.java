package io.holdfast.etcd;

import io.etcd.jetcd.Watch;
import io.holdfast.Scheduler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What happens to claims by the clock, on one timer for all of them: waits and TTLs end, the own key is watched once a
 * lock is held for longer than a moment, and those who wait look whether they missed something.
 *
 * <p>The timer is never set earlier than it is worth, so that a lock that is taken and given back at once costs no
 * timer of its own.
 */
final class Upkeep {
    /** A lock that is held for longer than this has its own key watched (U4). */
    static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(100);

    /** A waiter that its client has not taken out by then is taken out here. */
    private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long SHORTEST_GAP = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long NEVER = Long.MAX_VALUE / 4;

    /** What is done with a claim whose time has come. */
    interface Actions {
        /** It waits, and may have missed its turn. */
        void look(Place place);

        /** It holds, and its own key is to be watched. */
        void watchOwn(Place place);

        /** It waits, and its wait is over. */
        void giveUp(Place place);
    }

    private final Env env;
    private final Leaving leaving;
    private @Nullable Actions actions;
    private Scheduler.@Nullable Timer timer;
    private long timerAt;
    private boolean closed;

    Upkeep(Env env, Leaving leaving) {
        this.env = env;
        this.leaving = leaving;
    }

    void start(Actions value) {
        actions = value;
    }

    /** The claim holds, as a request sent at {@code sent} found. False if it was withdrawn meanwhile. */
    boolean hold(Place place, long sent) {
        long now = env.clock().nanos();
        boolean holds = place.hold(sent + place.claim.ttl().toNanos(), now + MOMENT);
        if (holds) {
            close(place.unwatch());
            by(now + Math.min(MOMENT, place.endsAt() - now));
        }
        return holds;
    }

    /** Looks at everything at {@code at} at the latest. */
    void by(long at) {
        long now = env.clock().nanos();
        synchronized (this) {
            if (closed || (timer != null && at - timerAt >= 0)) {
                return;
            }
            if (timer != null) {
                timer.cancel();
            }
            timerAt = Math.max(at - now, SHORTEST_GAP) + now;
            timer = env.clock().after(timerAt - now, this::tick);
        }
    }

    synchronized void stop() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    static void close(Watch.@Nullable Watcher watcher) {
        if (watcher != null) {
            watcher.close();
        }
    }

    private void tick() {
        synchronized (this) {
            timer = null;
        }
        long now = env.clock().nanos();
        long next = NEVER;
        for (Place place : env.book().all()) {
            next = Math.min(next, attend(place, now));
        }
        if (next < NEVER) {
            by(now + next);
        }
    }

    /** Does what is due; says in how many nanoseconds something else is. */
    private long attend(Place place, long now) {
        Actions todo = actions;
        if (todo == null) {
            return NEVER;
        }
        long toEnd = place.endsAt() - now;
        long toLook = place.lookAt() - now;
        return switch (place.phase()) {
            case WAITING -> attendWaiter(place, todo, toEnd + GRACE, toLook);
            case HELD -> attendHolder(place, todo, toEnd, toLook);
            case EXPIRED -> toLook > 0 ? toLook : removeKey(place, now);
            case DELAYING -> toEnd > 0 ? toEnd : removeDelay(place, now);
            default -> NEVER;
        };
    }

    private static long attendWaiter(Place place, Actions todo, long toEnd, long toLook) {
        if (toEnd <= 0) {
            todo.giveUp(place);
            return NEVER;
        }
        if (toLook <= 0) {
            place.lookAt(place.lookAt() + TimeUnit.SECONDS.toNanos(2));
            todo.look(place);
            return SHORTEST_GAP;
        }
        return Math.min(toEnd, toLook);
    }

    private long attendHolder(Place place, Actions todo, long toEnd, long toLook) {
        if (toEnd <= 0) {
            return place.move(Place.Phase.HELD, Place.Phase.EXPIRED) ? expire(place) : SHORTEST_GAP;
        }
        if (place.watches(null)) {
            return toEnd;
        }
        if (toLook <= 0) {
            todo.watchOwn(place);
            return toEnd;
        }
        return Math.min(toEnd, toLook);
    }

    private long expire(Place place) {
        close(place.unwatch());
        env.book().ended(place.claim.holder());
        place.endsAt(place.endsAt() + place.claim.lockDelay().toNanos());
        return removeKey(place, env.clock().nanos());
    }

    private long removeKey(Place place, long now) {
        place.lookAt(now + RETRY);
        leaving.removeExpired(place, env.ioNanos()).whenComplete((done, failure) -> {
            if (failure == null) {
                keyGone(place);
            }
        });
        return RETRY;
    }

    /** The key of an expired claim is gone. */
    void keyGone(Place place) {
        if (place.claim.lockDelay().isZero()) {
            if (place.move(Place.Phase.EXPIRED, Place.Phase.OVER)) {
                env.book().remove(place);
                env.book().keyGone(place);
            }
        } else if (place.move(Place.Phase.EXPIRED, Place.Phase.DELAYING)) {
            by(place.endsAt());
        }
    }

    private long removeDelay(Place place, long now) {
        place.endsAt(now + RETRY);
        leaving.removeDelay(place, env.ioNanos()).thenAccept(done -> {
            if (place.move(Place.Phase.DELAYING, Place.Phase.OVER)) {
                env.book().remove(place);
                env.book().keyGone(place);
            }
        });
        return RETRY;
    }
}
