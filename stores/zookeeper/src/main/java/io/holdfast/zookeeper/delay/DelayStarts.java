package io.holdfast.zookeeper.delay;

import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * When lock-delays started.
 *
 * <p>No node says when its holder disappeared. So a delay counts from when that was first seen: by this client, on its own
 * clock; or by another client, which marked the node, by the leader's clock. The longer time counts. Thread-safe.
 */
public final class DelayStarts {
    private static final int MOST = 10_000;

    private final Map<HolderId, Long> seen = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<HolderId, Long> eldest) {
            return size() > MOST;
        }
    };

    /**
     * How much is left of the lock-delay in a node, for a reader without the leader's clock; null if the node has none.
     *
     * @param content the content of the node
     */
    public @Nullable Duration left(HolderId orphan, byte @Nullable [] content, Stat stat, long now) {
        DelayData delay = DelayData.parse(content);
        return delay == null ? null : left(orphan, delay, stat, 0, now);
    }

    /** How much of a lock-delay is left; {@code leaderMillis} is the leader's clock, or 0 if it is not known. */
    synchronized Duration left(HolderId orphan, DelayData delay, Stat stat, long leaderMillis, long now) {
        long first = seen.computeIfAbsent(orphan, holder -> now);
        Duration elapsed = Duration.ofNanos(now - first);
        if (delay.seen() && leaderMillis > 0) {
            Duration byLeader = Duration.ofMillis(leaderMillis - stat.getMtime());
            elapsed = byLeader.compareTo(elapsed) > 0 ? byLeader : elapsed;
        }
        Duration left = delay.delay().minus(elapsed);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
