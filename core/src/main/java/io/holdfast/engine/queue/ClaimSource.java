package io.holdfast.engine.queue;

import io.holdfast.engine.lease.Request;
import io.holdfast.engine.runtime.HolderIds;
import io.holdfast.spi.Claim;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What a client draws at random: the holder ids of its claims, and its pauses. */
public final class ClaimSource {
    private final String clientId;
    private final HolderIds ids;
    private final RandomGenerator random;
    private final long pauseMin;
    private final long pauseRandom;

    public ClaimSource(String clientId, HolderIds ids, RandomGenerator random, StoreInfo info) {
        this.clientId = clientId;
        this.ids = ids;
        this.random = random;
        this.pauseMin = info.pauseMin().toNanos();
        this.pauseRandom = info.pauseRandom().toNanos();
    }

    /** A claim of this request with a fresh holder id; {@code note} is what a store may note of it (L21). */
    Claim claim(Request request, int span, Duration note) {
        return new Claim(
                request.lockName(),
                ids.next(),
                clientId,
                request.label(),
                request.mode(),
                request.permits(),
                request.ttl(),
                request.lockDelay(),
                span,
                note);
    }

    /** A pause (S): uniform in {@code [min, min + random)}. */
    public long pauseNanos() {
        return pauseMin + (pauseRandom > 0 ? random.nextLong(pauseRandom) : 0);
    }
}
