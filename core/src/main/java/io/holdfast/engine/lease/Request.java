package io.holdfast.engine.lease;

import io.holdfast.LockOptions;
import io.holdfast.Mode;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;

/**
 * One request with every option decided.
 *
 * @param waitNanos the wait; zero tries once, {@link #FOREVER} has no end
 * @param longestWait the wait again, as stores take it
 * @param maxHoldNanos the longest hold, or {@link #FOREVER}
 * @param label what the store shows
 */
public record Request(
        String lockName,
        Mode mode,
        int permits,
        long waitNanos,
        Duration longestWait,
        Duration ttl,
        long ttlNanos,
        Duration lockDelay,
        boolean renewal,
        long maxHoldNanos,
        String label,
        boolean interruptOnLoss,
        int handoffs) {
    /** A wait or a hold without an end. */
    public static final long FOREVER = Long.MAX_VALUE / 4;

    /** What holds if neither the request nor the client says otherwise (docs/java.md, options). */
    public static final LockOptions DEFAULTS = LockOptions.waitUpTo(Duration.ofSeconds(10))
            .ttl(Duration.ofSeconds(30))
            .lockDelay(Duration.ZERO)
            .handoffs(LockOptions.MOST_HANDOFFS);

    /** Decides every option and checks what the store keeps. */
    public static Request of(
            String name, Mode mode, int permits, LockOptions options, String clientLabel, StoreInfo info) {
        Duration ttl = options.ttl().orElseThrow();
        Duration lockDelay = options.lockDelay().orElseThrow();
        check(name, mode, ttl, lockDelay, info);
        return new Request(
                name,
                mode,
                permits,
                options.waitFor().orElseThrow().toNanos(),
                options.waitFor().orElseThrow(),
                ttl,
                ttl.toNanos(),
                lockDelay,
                options.renewal().orElse(true),
                options.maxHold().map(Duration::toNanos).orElse(FOREVER),
                options.label().map(label -> clientLabel + " (" + label + ")").orElse(clientLabel),
                options.interruptsOnLoss().orElse(false),
                options.handoffs().orElseThrow());
    }

    public Request waiting(long nanos) {
        return new Request(
                lockName,
                mode,
                permits,
                nanos,
                Duration.ofNanos(nanos),
                ttl,
                ttlNanos,
                lockDelay,
                renewal,
                maxHoldNanos,
                label,
                interruptOnLoss,
                handoffs);
    }

    public boolean isTry() {
        return waitNanos == 0;
    }

    public boolean exclusive() {
        return mode == Mode.EXCLUSIVE;
    }

    /** Whether a claim made for this request serves the other one as well (L9). */
    public boolean sameClaim(Request other) {
        return mode == other.mode
                && permits == other.permits
                && ttl.equals(other.ttl)
                && lockDelay.equals(other.lockDelay);
    }

    /**
     * Whether a grant made for this request may pass to the other one (U14). A lease without renewal never passes: its
     * next holder expects a whole TTL.
     */
    public boolean passesTo(Request other) {
        return mode == Mode.EXCLUSIVE && renewal && other.renewal && sameClaim(other);
    }

    private static void check(String name, Mode mode, Duration ttl, Duration lockDelay, StoreInfo info) {
        if (ttl.compareTo(info.minTtl()) < 0 || ttl.compareTo(info.maxTtl()) > 0) {
            throw new IllegalArgumentException("ttl " + Text.of(ttl) + " of lock '" + name + "': store "
                    + info.location() + " keeps " + Text.of(info.minTtl()) + " to " + Text.of(info.maxTtl()));
        }
        if (!lockDelay.isZero() && !info.lockDelay()) {
            throw new IllegalArgumentException("lock-delay " + Text.of(lockDelay) + " of lock '" + name + "': store "
                    + info.location() + " offers none; guard the resource instead");
        }
        if (!info.modes().contains(mode)) {
            throw new IllegalArgumentException(
                    "lock '" + name + "': store " + info.location() + " does not offer the mode " + mode);
        }
        if (name.codePointCount(0, name.length()) > info.maxNameLength()) {
            throw new IllegalArgumentException("lock name '" + name + "' is longer than the " + info.maxNameLength()
                    + " characters that store " + info.location() + " keeps");
        }
    }
}
