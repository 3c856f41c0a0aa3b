package io.holdfast.zookeeper.claim;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.zookeeper.delay.DelayNode;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Deletes the node of a claim, together with its lock-delay. A deletion whose answer was lost is repeated for as long as the
 * session lives (L2).
 *
 * <p>A release is told {@code Released} only if its own deletion found the node of a held claim (promise 6). If the node was
 * gone before, the lease had ended before its release. If in addition an earlier deletion was not answered, it is unknown
 * which of the two it was (C6).
 */
final class NodeDeletion {
    /** Why the node is deleted. */
    enum Reason {
        /** The claim was held and is released. */
        RELEASE,
        /** The claim was not granted yet. */
        WITHDRAWAL,
        /** The TTL of the held claim is over: its lock-delay starts. */
        EXPIRY
    }

    /** Is told the outcome, once. */
    interface Listener {
        /** The node is gone. */
        void deleted(ReleaseResult result);

        /** The node is gone, or will be with its session; how the lease ended is not known. */
        void failed(StoreUnavailableException failure);
    }

    private final StoreSetup setup;
    private final Session session;
    private final String what;
    private final DelayNode delay;
    private final Executor steps;
    private final Listener listener;
    private volatile String node = "";
    private volatile Reason reason = Reason.WITHDRAWAL;
    private volatile boolean withDelay;
    private volatile boolean answerLost;

    /**
     * For one claim; nothing is deleted yet.
     *
     * @param steps runs what is done with an answer, and handles what that throws
     */
    NodeDeletion(StoreSetup setup, Session session, Claim claim, DelayNode delay, Executor steps, Listener listener) {
        this.setup = setup;
        this.session = session;
        this.what = "releasing lock '" + claim.lockName() + "'";
        this.delay = delay;
        this.steps = steps;
        this.listener = listener;
    }

    /** Begins; called once, when the claim begins to end. Nothing is sent yet. */
    void begin(String path, Reason why) {
        node = path;
        reason = why;
        withDelay = delay.isWritten();
    }

    /** Sends the deletion. */
    void send() {
        if (!withDelay) {
            session.zk.delete(node, -1, (rc, asked, context) -> steps.execute(() -> answered(rc)), null);
            return;
        }
        Op ofDelay = reason == Reason.EXPIRY ? delay.start() : delay.removal();
        session.zk.multi(
                List.of(Op.delete(node, -1), ofDelay),
                (int rc, String asked, Object context, List<OpResult> results) -> steps.execute(() -> {
                    if (rc == Code.NONODE.intValue()) {
                        oneByOne();
                    } else {
                        answered(rc);
                    }
                }),
                null);
    }

    /** One of the two nodes is gone already, so the transaction failed. */
    private void oneByOne() {
        withDelay = false;
        if (reason != Reason.EXPIRY) {
            delay.delete();
        }
        send();
    }

    /** The deletion as part of a transaction; its outcome comes with {@link #done}, or it is sent by itself after all. */
    List<Op> operations() {
        List<Op> operations = new ArrayList<>(2);
        operations.add(Op.delete(node, -1));
        if (withDelay) {
            operations.add(delay.removal());
        }
        return operations;
    }

    /** The answer of a request that deletes the node was lost: the deletion is repeated when the connection is back. */
    void repeat() {
        answerLost = true;
        session.onceConnected(this::send);
    }

    /** A request deleted the node. */
    void done() {
        listener.deleted(reason == Reason.RELEASE ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
    }

    private void answered(int rc) {
        if (rc == Code.CONNECTIONLOSS.intValue()) {
            repeat();
        } else if (rc == Code.OK.intValue()) {
            done();
        } else if (rc != Code.NONODE.intValue()) {
            listener.failed(setup.errors().answered(what, rc));
        } else if (answerLost && reason == Reason.RELEASE) {
            listener.failed(setup.errors()
                    .unknown(
                            what + ": the answer of store " + setup.errors().location()
                                    + " was lost, and the node is gone now",
                            null));
        } else {
            listener.deleted(new ReleaseResult.NotHeld(null));
        }
    }
}
