package io.holdfast.spi;

import io.holdfast.LockOptions;
import io.holdfast.Mode;
import java.time.Duration;

/**
 * One request for one lock. The same claim is sent again to renew and to release what it was granted.
 *
 * @param lockName what is locked (RN), already checked
 * @param holder who asks (RV); fresh for every acquisition
 * @param clientId the client's random id
 * @param label host, process id and the user's name for it
 * @param mode exclusive, shared or a permit
 * @param permits how many permits the name has; 1 unless the mode is {@link Mode#PERMIT}
 * @param ttl how long the store keeps the grant without a renewal
 * @param lockDelay how long the name stays closed if the lease ends without a release
 * @param span how many consecutive tokens are wanted, 1 to 256; the store may reserve fewer
 * @param pause how long this client may pause at most before it asks again, if a store without a queue refuses the
 *     claim and should note that its client waits (L21); zero if it should not: a try, or noted less than a second ago
 */
public record Claim(
        String lockName,
        HolderId holder,
        String clientId,
        String label,
        Mode mode,
        int permits,
        Duration ttl,
        Duration lockDelay,
        int span,
        Duration pause) {
    /** The longest pause that a claim carries. */
    public static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** A claim of which no store takes a note when it refuses it. */
    public Claim(
            String lockName,
            HolderId holder,
            String clientId,
            String label,
            Mode mode,
            int permits,
            Duration ttl,
            Duration lockDelay,
            int span) {
        this(lockName, holder, clientId, label, mode, permits, ttl, lockDelay, span, Duration.ZERO);
    }

    /** Checks what a store relies on. */
    public Claim {
        if (permits < 1 || (permits > 1 && mode != Mode.PERMIT)) {
            throw new IllegalArgumentException(
                    "permits: at least 1, and 1 unless the mode is PERMIT, but got " + permits);
        }
        if (span < 1 || span > LockOptions.MOST_HANDOFFS + 1) {
            throw new IllegalArgumentException("span: 1 to 256, but got " + span);
        }
        if (ttl.isNegative() || ttl.isZero() || lockDelay.isNegative()) {
            throw new IllegalArgumentException("ttl " + ttl + " or lock-delay " + lockDelay + " is out of range");
        }
        if (pause.isNegative() || pause.compareTo(LONGEST_PAUSE) > 0) {
            throw new IllegalArgumentException("pause: at most " + LONGEST_PAUSE + ", but got " + pause);
        }
    }
}
