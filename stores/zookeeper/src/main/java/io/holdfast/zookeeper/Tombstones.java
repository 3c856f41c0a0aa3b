package io.holdfast.zookeeper;

import io.holdfast.spi.HolderId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Holder ids whose claim is over, for 10 to 20 s (L1). They need not be in ZooKeeper: requests of a claim come from one
 * client only, and within a session they keep their order.
 */
final class Tombstones {
    private static final long KEPT = 10_000_000_000L;

    private volatile ConcurrentMap<HolderId, Boolean> young = new ConcurrentHashMap<>();
    private volatile ConcurrentMap<HolderId, Boolean> old = new ConcurrentHashMap<>();
    private volatile long turned;

    void add(HolderId holder, long now) {
        turn(now);
        young.put(holder, true);
    }

    boolean has(HolderId holder, long now) {
        turn(now);
        return young.containsKey(holder) || old.containsKey(holder);
    }

    private void turn(long now) {
        if (now - turned > KEPT) {
            turnOnce(now);
        }
    }

    private synchronized void turnOnce(long now) {
        if (now - turned > KEPT) {
            old = now - turned > 2 * KEPT ? new ConcurrentHashMap<>() : young;
            young = new ConcurrentHashMap<>();
            turned = now;
        }
    }
}
