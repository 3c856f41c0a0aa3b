package io.holdfast.sim.plan;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What one seed draws: its own store, its own load and its own set of faults. A run with all faults at once would hide
 * what two of them do together.
 */
public final class SeedPlan {
    /** How clients wait. */
    public enum Waiting {
        QUEUE,
        WATCH,
        PULL
    }

    public final Waiting waiting;
    public final boolean provisional;
    public final boolean signals;
    public final int clients;

    /** Whether this run is about hand-offs: many equal tasks that hold the lock for a moment. */
    public final boolean passing;

    public final int tasks;
    public final List<String> names;
    public final Duration ioTimeout;
    public final Duration shortTtl;
    public final Duration longTtl;
    public final Duration lockDelay;
    public final Duration handoffTime;
    public final long activeNanos;
    public final long thinkNanos;
    public final long faultGapNanos;
    public final int messageFaultsPerMille;
    public final EnumSet<Fault> faults;
    public final boolean sharedModes;

    /**
     * Whether this run is about turns (L12): four clients with one task each that take the lock, hold it for 50 ms, release
     * it and ask again at once, on a store without a queue and without faults.
     */
    public final boolean loop;

    public SeedPlan(SplittableRandom random) {
        loop = false;
        int kind = random.nextInt(4);
        waiting = kind < 2 ? Waiting.QUEUE : kind == 2 ? Waiting.WATCH : Waiting.PULL;
        provisional = random.nextBoolean();
        signals = random.nextBoolean();
        clients = 3;
        passing = random.nextInt(4) == 0;
        tasks = passing ? random.nextInt(3, 6) : random.nextInt(1, 4);
        names = random.nextInt(3) == 0 ? List.of("alpha", "beta") : List.of("alpha");
        ioTimeout = Duration.ofMillis(random.nextInt(60, 200));
        shortTtl = Duration.ofMillis(random.nextInt(300, 700));
        longTtl = Duration.ofMillis(random.nextInt(6) == 0 ? random.nextInt(5000, 9000) : random.nextInt(700, 3000));
        lockDelay = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(50, 800));
        handoffTime = Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(2000) : 50);
        activeNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(1500, 5000));
        thinkNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(1, passing ? 20 : 300));
        faultGapNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(60, 600));
        messageFaultsPerMille = random.nextInt(3) == 0 ? 0 : random.nextInt(5, 150);
        faults = swarm(random);
        sharedModes = !passing && random.nextInt(3) == 0;
    }

    private SeedPlan(SplittableRandom random, Duration length) {
        loop = true;
        waiting = random.nextBoolean() ? Waiting.PULL : Waiting.WATCH;
        provisional = false;
        signals = false;
        clients = 4;
        passing = false;
        tasks = 1;
        names = List.of("alpha");
        ioTimeout = Duration.ofMillis(200);
        shortTtl = Duration.ofSeconds(2);
        longTtl = Duration.ofSeconds(3);
        lockDelay = Duration.ZERO;
        handoffTime = Duration.ofMillis(50);
        activeNanos = length.toNanos();
        thinkNanos = 1;
        faultGapNanos = 1;
        messageFaultsPerMille = 0;
        faults = EnumSet.noneOf(Fault.class);
        sharedModes = false;
    }

    /** Clients in a loop, for 20 s. */
    public static SeedPlan inALoop(SplittableRandom random) {
        return new SeedPlan(random, Duration.ofSeconds(20));
    }

    private static EnumSet<Fault> swarm(SplittableRandom random) {
        EnumSet<Fault> chosen = EnumSet.noneOf(Fault.class);
        while (chosen.size() < 3) {
            for (Fault fault : Fault.values()) {
                if (random.nextInt(5) < 2) {
                    chosen.add(fault);
                }
            }
        }
        if (chosen.contains(Fault.SUSPEND)) {
            // A wall clock that is set back while the machine sleeps hides the sleep: nothing can notice it (U21).
            chosen.remove(Fault.CLIENT_CLOCK);
        }
        return chosen;
    }

    @Override
    public String toString() {
        return waiting + (loop ? ", in a loop" : "") + (passing ? ", passing" : "")
                + (provisional ? ", provisional" : "") + ", " + clients + "x"
                + tasks + " tasks, names " + names
                + ", ttl " + shortTtl.toMillis() + "/" + longTtl.toMillis() + " ms, lock-delay " + lockDelay.toMillis()
                + " ms, I/O timeout " + ioTimeout.toMillis() + " ms, hand-off time " + handoffTime.toMillis()
                + " ms, faults " + faults + " + " + messageFaultsPerMille + " per mille of messages";
    }
}
