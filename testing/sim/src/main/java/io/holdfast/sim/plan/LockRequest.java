package io.holdfast.sim.plan;

import io.holdfast.Acquirable;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.Mode;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * One acquisition that a task asks for.
 *
 * @param permits of a semaphore; 1 for the other modes
 * @param once whether it is a {@code tryAcquire}
 */
public record LockRequest(
        String name,
        Mode mode,
        int permits,
        boolean once,
        Duration longest,
        Duration ttl,
        Duration lockDelay,
        boolean renewal,
        int handoffs) {

    public static LockRequest draw(SeedPlan plan, SplittableRandom random) {
        if (plan.loop) {
            return new LockRequest(
                    "alpha", Mode.EXCLUSIVE, 1, false, Duration.ofSeconds(30), plan.longTtl, Duration.ZERO, true, 255);
        }
        String name = plan.names.get(random.nextInt(plan.names.size()));
        Mode mode = Mode.EXCLUSIVE;
        if (plan.sharedModes) {
            // One name serves readers and writers, the other one is a semaphore.
            mode = name.equals("beta") ? Mode.PERMIT : random.nextInt(3) > 0 ? Mode.SHARED : Mode.EXCLUSIVE;
        }
        boolean other = random.nextInt(plan.passing ? 12 : 3) == 0;
        Duration ttl = other ? plan.shortTtl : plan.longTtl;
        long[] waits = {1, 150, 1200, 4000, 9000};
        return new LockRequest(
                name,
                mode,
                mode == Mode.PERMIT ? 2 : 1,
                random.nextInt(6) == 0,
                Duration.ofMillis(waits[random.nextInt(waits.length)]),
                ttl,
                random.nextInt(plan.passing ? 20 : 4) == 0 ? Duration.ZERO : plan.lockDelay,
                random.nextInt(plan.passing ? 20 : 8) > 0,
                random.nextInt(plan.passing ? 15 : 5) == 0 ? random.nextInt(3) : 255);
    }

    public Acquirable lockOf(Holdfast client) {
        return switch (mode) {
            case EXCLUSIVE -> client.mutex(name);
            case SHARED -> client.readWriteLock(name).readLock();
            case PERMIT -> client.semaphore(name, permits);
        };
    }

    public LockOptions options(SplittableRandom random) {
        LockOptions options =
                LockOptions.waitUpTo(longest).ttl(ttl).lockDelay(lockDelay).handoffs(handoffs);
        options = renewal ? options : options.noRenewal();
        return random.nextInt(20) == 0 ? options.maxHold(ttl.multipliedBy(2)) : options;
    }
}
