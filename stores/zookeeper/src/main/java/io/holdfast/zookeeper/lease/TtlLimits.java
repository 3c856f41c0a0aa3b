package io.holdfast.zookeeper.lease;

import io.holdfast.spi.Claim;
import io.holdfast.spi.StoreInfo;
import io.holdfast.zookeeper.session.Sessions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which TTLs the sessions of a store can keep.
 *
 * @param info what the store publishes, its TTL range included
 * @param ownsSessions whether the store opens sessions as it needs them; otherwise the one that was passed in is the only one
 */
public record TtlLimits(StoreInfo info, boolean ownsSessions) {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(1);

    /** The limits of a store over these sessions; {@code usual} says everything else about it. */
    public static TtlLimits of(StoreInfo usual, Sessions sessions, Duration ioTimeout) {
        boolean owns = sessions.owns();
        // On a session that was passed in, a shorter lease would outlive its dead holder (L15).
        StoreInfo info = usual.withTtl(owns ? SHORTEST : sessions.longest(), owns ? sessions.longest() : LONGEST)
                .withIoTimeout(ioTimeout);
        return new TtlLimits(info, owns);
    }

    /** Why the TTL of this claim cannot be kept; null if it can. */
    public @Nullable RuntimeException refusal(Claim claim) {
        String request = "ttl " + claim.ttl() + " of lock '" + claim.lockName() + "': store " + info.location();
        if (claim.ttl().compareTo(info.minTtl()) < 0 && !ownsSessions) {
            return new IllegalArgumentException(request + " uses a client whose session lasts " + info.minTtl()
                    + ", and the lock of a dead process would stay closed for as long; ask for that TTL or a longer one,"
                    + " or open the store by its URL");
        }
        if (claim.ttl().compareTo(info.maxTtl()) > 0) {
            return new IllegalArgumentException(request + " has sessions of " + info.maxTtl()
                    + " and cannot keep a lease longer; raise the client's default TTL or the option session");
        }
        return null;
    }
}
