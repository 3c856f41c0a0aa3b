package io.holdfast.spi.support;

import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Holder ids whose claim is over and which must not be granted again (L1), remembered in this process for 10 to 20 s.
 *
 * <p>For stores where only the client that made a claim can repeat it. Two generations of ids: the older one is dropped
 * whole, so nothing is searched for expired entries. Thread-safe.
 */
public final class Tombstones {
    /** How long a tombstone is kept at least, in every store. */
    public static final Duration LIFE = Duration.ofSeconds(10);

    private final Ticker ticker;
    private volatile ConcurrentMap<HolderId, Boolean> young = new ConcurrentHashMap<>();
    private volatile ConcurrentMap<HolderId, Boolean> old = new ConcurrentHashMap<>();
    private volatile long turnedNanos;

    /** None yet; counted on the monotonic clock of {@code ticker}. */
    public Tombstones(Ticker ticker) {
        this.ticker = ticker;
        this.turnedNanos = ticker.nanos();
    }

    /** Remembers this id. */
    public void add(HolderId holder) {
        turn();
        young.put(holder, true);
    }

    /** Whether this id was added within the last 10 s; ids of the 10 s before may still be known. */
    public boolean contains(HolderId holder) {
        turn();
        return young.containsKey(holder) || old.containsKey(holder);
    }

    private void turn() {
        long now = ticker.nanos();
        if (now - turnedNanos > LIFE.toNanos()) {
            turnOnce(now);
        }
    }

    private synchronized void turnOnce(long now) {
        long age = now - turnedNanos;
        if (age > LIFE.toNanos()) {
            old = age > 2 * LIFE.toNanos() ? new ConcurrentHashMap<>() : young;
            young = new ConcurrentHashMap<>();
            turnedNanos = now;
        }
    }
}
