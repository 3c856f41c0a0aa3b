package io.holdfast.sim.world;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A host with one process: its two clocks, its timers and its threads.
 *
 * <p>A <em>pause</em> (garbage collection, a starved container) postpones what the process does while both clocks go
 * on. A <em>suspended</em> machine stops its monotonic clock as well; only the wall clock has moved on afterwards. A
 * machine that is dead does nothing any more. The monotonic clock is up to half a percent fast or slow.
 */
public final class Machine implements Ticker, Scheduler, Executor {
    private static final long WALL_BASE_MICROS = 1_800_000_000_000_000L;
    private static final long MILLION = 1_000_000L;

    private final World world;
    private final String name;
    private final SplittableRandom random;
    private final long ppm;
    private final long bootNanos;
    private final long born;
    private long wallStepMicros;
    private long suspendedNanos;
    private long suspendedSince = -1;
    private long runsFrom;
    private long stoppedNanos;
    private long lastResumed;
    private boolean dead;
    private int liveTimers;
    private SleepListener sleepListener = slept -> {};

    /** Hears that the machine woke up. */
    public interface SleepListener {
        void woke(long sleptNanos);
    }

    public Machine(World world, String name, SplittableRandom random, long extraPpm) {
        this.world = world;
        this.name = name;
        this.random = random;
        this.ppm = random.nextInt(-4000, 4001) + extraPpm;
        this.bootNanos = random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L);
        this.born = world.now();
        this.wallStepMicros = random.nextInt(-20_000, 20_001);
    }

    public String name() {
        return name;
    }

    public boolean isDead() {
        return dead;
    }

    /** Whether the process runs at this moment. */
    public boolean isRunning() {
        return !dead && world.now() >= runsFrom;
    }

    public boolean isSuspended() {
        return suspendedSince >= 0;
    }

    /** The true time from which the process runs again; past if it runs. */
    public long runsFrom() {
        return runsFrom;
    }

    /** The true time of the last end of a pause or suspension. */
    public long lastResumed() {
        return Math.max(lastResumed, runsFrom);
    }

    /** For how long the process has been stopped in its life, announced stops included. */
    public long stoppedNanos() {
        return stoppedNanos;
    }

    public int liveTimers() {
        return liveTimers;
    }

    public void pause(long nanos) {
        stop(nanos);
    }

    public void suspend(long nanos) {
        if (isSuspended()) {
            return;
        }
        suspendedSince = world.now();
        // One nanosecond more: the clock goes on before anything else does.
        stop(nanos + 1);
        world.post(null, nanos, name + " resumes", () -> {
            long slept = world.now() - suspendedSince;
            suspendedNanos += slept;
            suspendedSince = -1;
            sleepListener.woke(slept);
        });
    }

    public void onWake(SleepListener listener) {
        sleepListener = listener;
    }

    public void die() {
        dead = true;
    }

    public void stepWall(long micros) {
        wallStepMicros += micros;
    }

    @Override
    public long nanos() {
        long until = isSuspended() ? suspendedSince : world.now();
        long ran = until - born - suspendedNanos;
        return bootNanos + ran + ran / MILLION * ppm + ran % MILLION * ppm / MILLION;
    }

    @Override
    public long wallMicros() {
        return WALL_BASE_MICROS + TimeUnit.NANOSECONDS.toMicros(world.now()) + wallStepMicros;
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        return new Alarm(task, nanos() + Math.max(0, delayNanos));
    }

    /** A pool of threads: soon, and not always in order. */
    @Override
    public void execute(Runnable task) {
        long delay = random.nextInt(16) == 0 ? random.nextInt(2_000_000) : random.nextInt(20_000);
        world.post(this, delay, "run", task);
    }

    private void stop(long nanos) {
        long until = world.now() + nanos;
        if (until > runsFrom) {
            stoppedNanos += until - Math.max(world.now(), runsFrom);
            runsFrom = until;
            lastResumed = until;
        }
    }

    /** A timer that is due when the monotonic clock says so, however long the machine slept meanwhile. */
    private final class Alarm implements Timer {
        private final Runnable task;
        private final long due;
        private World.Event event;
        private boolean live = true;

        Alarm(Runnable task, long due) {
            this.task = task;
            this.due = due;
            liveTimers++;
            this.event = post();
        }

        private World.Event post() {
            long left = Math.max(0, due - nanos());
            long trueNanos = (long) (left * (1e6 / (1e6 + ppm)));
            return world.post(Machine.this, trueNanos + (left > 0 ? 1 : 0), "timer", this::fire);
        }

        private void fire() {
            if (due - nanos() > 0) {
                event = post();
                return;
            }
            retire();
            task.run();
        }

        @Override
        public void cancel() {
            event.cancel();
            retire();
        }

        private void retire() {
            if (live) {
                live = false;
                liveTimers--;
            }
        }
    }
}
