package io.holdfast.zookeeper.claim;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.session.Session;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;

/**
 * Creates the node of a claim, or finds the one that an unanswered request created. Has no state: each request leads to one
 * call of the listener, on ZooKeeper's event thread.
 */
final class NodeCreation {
    /** Is told the outcome of each request. */
    interface Listener {
        /** The node was created. */
        void created(CreatedNode node);

        /** The node of an earlier request was found. */
        void found(CreatedNode node);

        /** There is no node, and no request is under way that could create one. */
        void absent();

        /** The connection was lost: there may be a node. */
        void unanswered();

        /** The server refused to create a node, or the session is over: there is no node. */
        void failed(StoreUnavailableException failure);
    }

    private final StoreSetup setup;
    private final Session session;
    private final Claim claim;
    private final String parent;
    private final Executor steps;
    private final Listener listener;

    /**
     * For one claim.
     *
     * @param steps runs what is done with an answer, and handles what that throws
     */
    NodeCreation(StoreSetup setup, Session session, Claim claim, Executor steps, Listener listener) {
        this.setup = setup;
        this.session = session;
        this.claim = claim;
        this.parent = setup.paths().name(claim.lockName());
        this.steps = steps;
        this.listener = listener;
    }

    /** Sends the request to create the node. */
    void create() {
        session.zk.create(
                parent + "/" + NodeName.prefix(claim),
                ClaimData.of(claim, setup.id()),
                setup.acl(),
                CreateMode.EPHEMERAL_SEQUENTIAL,
                (rc, asked, context, name, stat) -> steps.execute(() -> answered(rc, name, stat)),
                null);
    }

    /** Creates the node as part of a transaction; its outcome comes with {@link #createdInTransaction}. */
    Op operation() {
        return Op.create(
                parent + "/" + NodeName.prefix(claim),
                ClaimData.of(claim, setup.id()),
                setup.acl(),
                CreateMode.EPHEMERAL_SEQUENTIAL);
    }

    /** The transaction at {@code zxid} created the node. */
    void createdInTransaction(String path, long zxid) {
        // In a transaction ZooKeeper answers with the whole path, even to a client with a chroot.
        String own = parent + path.substring(path.lastIndexOf('/'));
        steps.execute(() -> listener.created(new CreatedNode(own, zxid, session.id(), 0, setup.now())));
    }

    private void answered(int rc, String path, Stat stat) {
        if (rc == Code.OK.intValue()) {
            listener.created(node(path, stat));
        } else if (rc == Code.NONODE.intValue()) {
            setup.parents().makeContainer(session, parent, failure -> {
                if (failure == null) {
                    listener.absent();
                } else {
                    listener.failed(failure);
                }
            });
        } else if (rc == Code.CONNECTIONLOSS.intValue()) {
            listener.unanswered();
        } else {
            listener.failed(setup.errors().answered("creating a node for lock '" + claim.lockName() + "'", rc));
        }
    }

    /** After an unanswered request and a sync: looks for a node with the holder id of the claim (L2). */
    void search() {
        session.zk.getChildren(
                parent,
                false,
                (int rc, String asked, Object context, List<String> children) -> {
                    NodeName found =
                            rc == Code.OK.intValue() ? Line.of(children).find(claim.holder()) : null;
                    if (found != null) {
                        read(parent + "/" + found.text());
                    } else if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                        listener.absent();
                    } else {
                        listener.unanswered();
                    }
                },
                null);
    }

    private void read(String path) {
        session.zk.exists(
                path,
                false,
                (rc, asked, context, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        listener.found(node(path, stat));
                    } else if (rc == Code.NONODE.intValue()) {
                        listener.absent();
                    } else {
                        listener.unanswered();
                    }
                },
                null);
    }

    private CreatedNode node(String path, Stat stat) {
        return new CreatedNode(path, stat.getCzxid(), stat.getEphemeralOwner(), stat.getCtime(), setup.now());
    }
}
