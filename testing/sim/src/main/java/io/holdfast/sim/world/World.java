package io.holdfast.sim.world;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time and everything that waits for it. Events run one at a time in the order of (time, seeded tie-break,
 * order of posting); after each one every check runs. An event may belong to a machine: a machine that is paused or
 * suspended gets it later, a dead one never.
 *
 * <p>I1: nothing outside {@link #step} runs code of the engine. I2: everything random comes from streams split off
 * one seed. I3: no thread but one touches a world until it is {@link #end ended}; afterwards posts are ignored, so that
 * a cleaner that finds an abandoned lease cannot disturb anything.
 */
public final class World {
    /** Something that will happen. */
    public static final class Event {
        private long at;
        private int tie;
        private long order;
        private final @Nullable Machine owner;
        private final String what;
        private final Runnable action;
        private boolean cancelled;

        Event(@Nullable Machine owner, String what, Runnable action) {
            this.owner = owner;
            this.what = what;
            this.action = action;
        }

        public void cancel() {
            cancelled = true;
        }
    }

    private final PriorityQueue<Event> queue = new PriorityQueue<>(World::compare);
    private final List<Runnable> checks = new ArrayList<>();
    private final SplittableRandom ties;
    private final Trace trace = new Trace();
    private long now;
    private long posted;
    private int steps;
    private volatile boolean ended;

    public World(SplittableRandom ties) {
        this.ties = ties;
    }

    /** True time in nanoseconds since the beginning. No clock in the simulation shows it. */
    public long now() {
        return now;
    }

    public int steps() {
        return steps;
    }

    public Trace trace() {
        return trace;
    }

    public void note(String who, String what) {
        trace.add(now, who, what);
    }

    /** Runs after every step. */
    public void check(Runnable check) {
        checks.add(check);
    }

    public Event post(@Nullable Machine owner, long delayNanos, String what, Runnable action) {
        Event event = new Event(owner, what, action);
        if (!ended) {
            enqueue(event, now + Math.max(0, delayNanos));
        }
        return event;
    }

    /** Runs the next event; false if there is none. */
    public boolean step() {
        for (Event event = queue.poll(); event != null; event = queue.poll()) {
            if (event.cancelled || (event.owner != null && event.owner.isDead())) {
                continue;
            }
            now = Math.max(now, event.at);
            if (event.owner != null && event.owner.runsFrom() > now) {
                enqueue(event, event.owner.runsFrom());
                continue;
            }
            steps++;
            trace.add(now, event.owner == null ? "world" : event.owner.name(), event.what);
            try {
                event.action.run();
            } catch (RuntimeException e) {
                throw new IllegalStateException(
                        "thrown out of '" + event.what + "' of "
                                + (event.owner == null ? "the world" : event.owner.name()),
                        e);
            }
            for (int i = 0; i < checks.size(); i++) {
                checks.get(i).run();
            }
            return true;
        }
        return false;
    }

    public void end() {
        ended = true;
        queue.clear();
    }

    private void enqueue(Event event, long at) {
        event.at = at;
        event.tie = ties.nextInt();
        event.order = posted++;
        queue.add(event);
    }

    private static int compare(Event a, Event b) {
        int byTime = Long.compare(a.at, b.at);
        if (byTime != 0) {
            return byTime;
        }
        int byTie = Integer.compare(a.tie, b.tie);
        return byTie != 0 ? byTie : Long.compare(a.order, b.order);
    }
}
