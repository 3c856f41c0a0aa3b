package io.holdfast.memory;

import io.holdfast.Holder;
import io.holdfast.spi.Claim;
import java.time.Duration;

/**
 * One grant in a {@link LockTable}: in force until {@code expiresAt}, then in lock-delay until {@link #closedUntil()},
 * then over. All times are readings of one monotonic clock and are compared by difference.
 */
final class Holding {
    final Claim claim;
    final long token;
    final int span;
    private final long ttlNanos;
    private final long delayNanos;
    private long expiresAt;
    private boolean revoked;

    Holding(Claim claim, long token, int span, long now) {
        this.claim = claim;
        this.token = token;
        this.span = span;
        this.ttlNanos = Nanos.of(claim.ttl());
        this.delayNanos = claim.lockDelay().isZero() ? 0 : Nanos.of(claim.lockDelay());
        this.expiresAt = now + ttlNanos;
    }

    boolean inForce(long now) {
        return expiresAt - now > 0;
    }

    boolean over(long now) {
        return closedUntil() - now <= 0;
    }

    long closedUntil() {
        return expiresAt + delayNanos;
    }

    boolean revoked() {
        return revoked;
    }

    void revoke() {
        revoked = true;
    }

    /** Extends by the TTL that was stored with the grant, whatever the renewal says (S7). */
    void extend(long now) {
        expiresAt = now + ttlNanos;
    }

    Decision.Grant grant(long now) {
        return new Decision.Grant(claim, token, span, expiresAt - now);
    }

    Holder holder(long now) {
        return new Holder(
                claim.clientId(),
                claim.label(),
                claim.mode(),
                token,
                span,
                claim.ttl(),
                Duration.ofNanos(Math.max(0, expiresAt - now)));
    }
}
