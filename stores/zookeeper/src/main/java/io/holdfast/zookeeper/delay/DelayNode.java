package io.holdfast.zookeeper.delay;

import io.holdfast.spi.Claim;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.session.Session;
import java.util.function.IntConsumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * The node with the lock-delay of one claim (L10). It is written before the lease is returned, and deleted in the same
 * transaction as the claim's node. So a lock-delay node without its claim means that the holder disappeared. Thread-safe.
 */
public final class DelayNode {
    private final StoreSetup setup;
    private final Session session;
    private final DelayData data;
    private final String path;
    private volatile boolean written;

    /** For a claim of this session; nothing is written yet. */
    public DelayNode(StoreSetup setup, Session session, Claim claim) {
        this.setup = setup;
        this.session = session;
        this.data = DelayData.notStarted(claim.lockDelay());
        this.path = setup.paths().name(claim.lockName()) + "/" + Line.delayNode(claim.holder());
    }

    /** Writes the node; {@code answered} gets ZooKeeper's code. */
    public void write(IntConsumer answered) {
        written = true;
        session.zk.create(
                path,
                data.bytes(),
                setup.acl(),
                CreateMode.PERSISTENT,
                (int rc, String asked, Object context, String name) -> answered.accept(rc),
                null);
    }

    /** Whether a request that writes the node was sent. */
    public boolean isWritten() {
        return written;
    }

    /** Deletes the node, as part of a transaction: the lease was released. */
    public Op removal() {
        return Op.delete(path, -1);
    }

    /** Marks the delay as started, as part of a transaction: the lease expired. */
    public Op start() {
        return Op.setData(path, data.started().bytes(), -1);
    }

    /** Deletes the node, whether it exists or not. */
    public void delete() {
        session.zk.delete(path, -1, (rc, asked, context) -> {}, null);
    }
}
