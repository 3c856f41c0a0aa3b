package io.holdfast.zookeeper;

import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.zookeeper.data.Stat;

/** When this client first saw that the holder behind a lock-delay had disappeared. Thread-safe. */
final class SeenDelays {
    private static final int MOST = 10_000;

    private final Map<HolderId, Long> seen = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<HolderId, Long> eldest) {
            return size() > MOST;
        }
    };

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
