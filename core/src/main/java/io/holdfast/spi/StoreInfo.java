package io.holdfast.spi;

import io.holdfast.LockNames;
import io.holdfast.Mode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a store publishes about itself. Constant over its life.
 *
 * @param kind the store's kind in one word, as in {@code redis}
 * @param location where it is, for people; never with a password
 * @param minTtl the shortest TTL it can keep
 * @param maxTtl the longest TTL it can keep
 * @param maxNameLength the longest lock name, in characters
 * @param modes the modes it offers
 * @param lockDelay whether it offers a lock-delay
 * @param ioTimeout within this time every verb completes, one way or the other
 * @param blocking whether verbs do their I/O on the calling thread; the engine then calls them on threads that may
 *     block only
 * @param pauseMin the shortest pause between two tries (S)
 * @param pauseRandom the random part that is added to it
 */
public record StoreInfo(
        String kind,
        String location,
        Duration minTtl,
        Duration maxTtl,
        int maxNameLength,
        Set<Mode> modes,
        boolean lockDelay,
        Duration ioTimeout,
        boolean blocking,
        Duration pauseMin,
        Duration pauseRandom) {
    /** Copies the set. */
    public StoreInfo {
        modes = Set.copyOf(modes);
    }

    /** The usual limits: TTL from 100 ms, all modes, lock-delay, 2 s I/O timeout, pauses of 15 + 15 ms. */
    public static StoreInfo of(String kind, String location) {
        return new StoreInfo(
                kind,
                location,
                Duration.ofMillis(100),
                Duration.ofDays(365),
                LockNames.LONGEST,
                EnumSet.allOf(Mode.class),
                true,
                Duration.ofSeconds(2),
                false,
                Duration.ofMillis(15),
                Duration.ofMillis(15));
    }

    /** With another TTL range. */
    public StoreInfo withTtl(Duration min, Duration max) {
        return new StoreInfo(
                kind, location, min, max, maxNameLength, modes, lockDelay, ioTimeout, blocking, pauseMin, pauseRandom);
    }

    /** With another I/O timeout. */
    public StoreInfo withIoTimeout(Duration value) {
        return new StoreInfo(
                kind,
                location,
                minTtl,
                maxTtl,
                maxNameLength,
                modes,
                lockDelay,
                value,
                blocking,
                pauseMin,
                pauseRandom);
    }

    /** With other pauses. */
    public StoreInfo withPauses(Duration min, Duration random) {
        return new StoreInfo(
                kind, location, minTtl, maxTtl, maxNameLength, modes, lockDelay, ioTimeout, blocking, min, random);
    }

    /** With I/O on the calling thread. */
    public StoreInfo asBlocking() {
        return new StoreInfo(
                kind,
                location,
                minTtl,
                maxTtl,
                maxNameLength,
                modes,
                lockDelay,
                ioTimeout,
                true,
                pauseMin,
                pauseRandom);
    }
}
