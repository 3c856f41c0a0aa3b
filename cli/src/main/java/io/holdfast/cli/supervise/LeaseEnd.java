package io.holdfast.cli.supervise;

import io.holdfast.Lease;
import java.time.Duration;

/**
 * How long a lease is valid, and when that was asked. Both clocks are read first: whatever holds this process up in
 * between makes the end earlier, never later.
 *
 * @param nanos {@link System#nanoTime} before the lease was asked
 * @param uptime {@link Uptime} before the lease was asked
 * @param remaining what it answered
 */
record LeaseEnd(long nanos, long uptime, Duration remaining) {
    static LeaseEnd of(Lease lease) {
        long uptime = Uptime.now();
        long nanos = System.nanoTime();
        return new LeaseEnd(nanos, uptime, lease.remaining());
    }

    /** How much is left now of what was known. */
    Duration left() {
        Duration left = remaining.minusNanos(System.nanoTime() - nanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** {@code delay} after the moment of asking, on the clock of the watchdog. */
    long uptimeAfter(Duration delay) {
        return Uptime.after(uptime, delay);
    }
}
