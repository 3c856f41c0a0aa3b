package io.holdfast.zookeeper;

import io.holdfast.spi.HolderId;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Removes lock-delays that are long over, of names that are not used any more. A holder that disappears leaves a persistent
 * node, and the next claim of that name removes it; a name that is never claimed again would keep it for ever.
 *
 * <p>Claims that write a lock-delay pay for it, because only they can leave one: every {@value #EVERY}th of a client looks
 * at {@value #NAMES} names, from a random one on. The first look at a lock-delay without its holder marks it, as a claim
 * would, and a later one removes it a minute after its end by the leader's clock. So the number of such nodes stays
 * bounded, and a client that uses no lock-delay sends nothing.
 */
final class OldDelays {
    static final int EVERY = 32;
    static final int NAMES = 64;

    private final ZooKeeperLockStore store;
    private final long graceMillis;
    // Starts anywhere, so that short-lived processes look as well.
    private final AtomicInteger written =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(EVERY));

    OldDelays(ZooKeeperLockStore store, long graceMillis) {
        this.store = store;
        this.graceMillis = graceMillis;
    }

    /** A claim has written its lock-delay. */
    void written(Session session) {
        if (Math.floorMod(written.incrementAndGet(), EVERY) == 0) {
            look(session);
        }
    }

    private void look(Session session) {
        // The write tells the time of the leader's clock, by which the nodes were marked.
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
        String names = store.paths().names();
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

    /** Marks a lock-delay that begins, or removes one that is over; by its version, so that no later change is undone. */
    private void read(Session session, String node, long leaderMillis) {
        session.zk.getData(
                node,
                false,
                (rc, path, context, data, stat) -> {
                    DelayData delay = rc == Code.OK.intValue() ? DelayData.parse(data) : null;
                    if (delay == null) {
                        return;
                    }
                    long over = stat.getMtime() + delay.delay().toMillis() + graceMillis;
                    if (!delay.seen()) {
                        byte[] marked = new DelayData(delay.delay(), true).bytes();
                        session.zk.setData(node, marked, stat.getVersion(), (code, p, c, s) -> {}, null);
                    } else if (leaderMillis - over > 0) {
                        session.zk.delete(node, stat.getVersion(), (code, p, c) -> {}, null);
                    }
                },
                null);
    }
}
