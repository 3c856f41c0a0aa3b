package io.holdfast.zookeeper.delay;

import io.holdfast.spi.HolderId;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.line.NodePaths;
import io.holdfast.zookeeper.session.Session;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Removes lock-delays that are long over, of locks that are not used any more. A holder that disappears leaves a persistent
 * node. The next claim on that lock removes it; a lock that is never claimed again would keep it for ever.
 *
 * <p>Only claims with a lock-delay can leave such a node, so only they look for old ones: every {@value #EVERY}th claim of a
 * client reads {@value #NAMES} locks, beginning with a random one. The first look marks a lock-delay without its holder, as a
 * claim would. A later look removes it, a minute after its end by the leader's clock. So the number of such nodes stays
 * bounded, and a client that uses no lock-delay sends nothing. Thread-safe.
 */
public final class AbandonedDelays {
    /** How many lock-delays are written for one look. */
    public static final int EVERY = 32;

    static final int NAMES = 64;

    private final NodePaths paths;
    private final AtomicLong graceMillis = new AtomicLong(60_000);
    // A random start, so that short-lived processes look as well.
    private final AtomicInteger written =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(EVERY));

    /** Of the locks below these paths. */
    public AbandonedDelays(NodePaths paths) {
        this.paths = paths;
    }

    /** For tests: removes lock-delays this long after their end. */
    public void removeAfter(long millis) {
        graceMillis.set(millis);
    }

    /** A claim has written its lock-delay. */
    public void written(Session session) {
        if (Math.floorMod(written.incrementAndGet(), EVERY) == 0) {
            look(session);
        }
    }

    private void look(Session session) {
        // The answer to a write tells the time of the leader's clock, by which the nodes were marked.
        session.zk.setData(
                session.clientNode(),
                new byte[0],
                -1,
                (rc, path, context, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        list(session, stat.getMtime());
                    }
                },
                null);
    }

    private void list(Session session, long leaderMillis) {
        String names = paths.names();
        session.zk.getChildren(
                names,
                false,
                (int rc, String path, Object context, List<String> children) -> {
                    int count = rc == Code.OK.intValue() ? children.size() : 0;
                    int from = count == 0 ? 0 : ThreadLocalRandom.current().nextInt(count);
                    for (int i = 0; i < Math.min(count, NAMES); i++) {
                        look(session, names + "/" + children.get((from + i) % count), leaderMillis);
                    }
                },
                null);
    }

    private void look(Session session, String parent, long leaderMillis) {
        session.zk.getChildren(
                parent,
                false,
                (int rc, String path, Object context, List<String> children) -> {
                    if (rc == Code.OK.intValue()) {
                        for (HolderId orphan : Line.of(children).orphans()) {
                            read(session, parent + "/" + Line.delayNode(orphan), leaderMillis);
                        }
                    }
                },
                null);
    }

    /** Marks a lock-delay that starts, or removes one that is over; by its version, so that no later change is undone. */
    private void read(Session session, String node, long leaderMillis) {
        session.zk.getData(
                node,
                false,
                (rc, path, context, data, stat) -> {
                    DelayData delay = rc == Code.OK.intValue() ? DelayData.parse(data) : null;
                    if (delay == null) {
                        return;
                    }
                    long over = stat.getMtime() + delay.delay().toMillis() + graceMillis.get();
                    if (!delay.seen()) {
                        byte[] marked = delay.started().bytes();
                        session.zk.setData(node, marked, stat.getVersion(), (code, p, c, s) -> {}, null);
                    } else if (leaderMillis - over > 0) {
                        session.zk.delete(node, stat.getVersion(), (code, p, c) -> {}, null);
                    }
                },
                null);
    }
}
