package io.holdfast.tck;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The claim that a test makes: exclusive, TTL 30 s, no lock-delay, one token, unless it says otherwise.
 *
 * @param name the lock
 * @param client the client that asks
 * @param mode how
 * @param permits how many permits the name has
 * @param ttl for how long
 * @param lockDelay the lock-delay
 * @param span the wanted tokens
 * @param pause the pause that the store notes if it refuses the claim; zero for none
 */
public record Ask(
        String name,
        String client,
        Mode mode,
        int permits,
        Duration ttl,
        Duration lockDelay,
        int span,
        Duration pause) {
    /** Without a pause. */
    public Ask(String name, String client, Mode mode, int permits, Duration ttl, Duration lockDelay, int span) {
        this(name, client, mode, permits, ttl, lockDelay, span, Duration.ZERO);
    }

    /** The exclusive lock of this name. */
    public static Ask exclusive(String name) {
        return new Ask(name, "tck", Mode.EXCLUSIVE, 1, Duration.ofSeconds(30), Duration.ZERO, 1, Duration.ZERO);
    }

    /** The shared lock of this name. */
    public static Ask shared(String name) {
        return new Ask(name, "tck", Mode.SHARED, 1, Duration.ofSeconds(30), Duration.ZERO, 1, Duration.ZERO);
    }

    /** One of so many permits. */
    public static Ask permit(String name, int permits) {
        return new Ask(name, "tck", Mode.PERMIT, permits, Duration.ofSeconds(30), Duration.ZERO, 1, Duration.ZERO);
    }

    /** With another client id and label. */
    public Ask by(String value) {
        return new Ask(name, value, mode, permits, ttl, lockDelay, span, pause);
    }

    /** With another TTL. */
    public Ask ttl(Duration value) {
        return new Ask(name, client, mode, permits, value, lockDelay, span, pause);
    }

    /** With a lock-delay. */
    public Ask lockDelay(Duration value) {
        return new Ask(name, client, mode, permits, ttl, value, span, pause);
    }

    /** With more tokens. */
    public Ask span(int value) {
        return new Ask(name, client, mode, permits, ttl, lockDelay, value, pause);
    }

    /** Waits: with this pause before it asks again. */
    public Ask pausing(Duration value) {
        return new Ask(name, client, mode, permits, ttl, lockDelay, span, value);
    }

    /** A claim with a fresh holder id. */
    public Claim claim() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HolderId holder = new HolderId(random.nextLong(), random.nextLong(), random.nextInt());
        return new Claim(name, holder, client, client + "@tck", mode, permits, ttl, lockDelay, span, pause);
    }
}
