package io.holdfast.zookeeper.claim;

import io.holdfast.spi.Exchanged;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Replaces the node of a held claim by a node of the next claim at the end of the line, in one transaction (U5). The
 * transaction writes a heartbeat too: the answer to a creation in a transaction does not tell its zxid, the answer to a write
 * does.
 */
final class NodeExchange {
    private final StoreSetup setup;
    private final Session session;
    private final NodeClaim old;
    private final NodeDeletion deletion;
    private final NodeClaim next;

    /**
     * Between two claims of one session.
     *
     * @param deletion of the old claim's node, begun and not sent
     */
    NodeExchange(StoreSetup setup, NodeClaim old, NodeDeletion deletion, NodeClaim next) {
        this.setup = setup;
        this.session = next.session();
        this.old = old;
        this.deletion = deletion;
        this.next = next;
    }

    /** Sends the transaction, and a read of the line behind it. */
    CompletableFuture<Exchanged> start() {
        CompletableFuture<Exchanged> result = new CompletableFuture<>();
        next.answers().enqueued().whenComplete((answer, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            old.release().whenComplete((released, unknown) -> {
                if (unknown != null) {
                    result.completeExceptionally(unknown);
                } else {
                    result.complete(new Exchanged(released, answer));
                }
            });
        });
        List<Op> operations = new ArrayList<>(deletion.operations());
        int index = operations.size();
        NodeCreation creation = next.createInTransaction();
        operations.add(creation.operation());
        operations.add(Op.setData(session.clientNode(), new byte[0], -1));
        long sent = setup.now();
        session.zk.multi(
                operations,
                (int rc, String path, Object context, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue()
                            && results.get(index) instanceof OpResult.CreateResult created
                            && results.get(index + 1) instanceof OpResult.SetDataResult written) {
                        session.proved(sent);
                        deletion.done();
                        creation.createdInTransaction(
                                created.getPath(), written.getStat().getMzxid());
                    } else {
                        failed(rc);
                    }
                },
                null);
        next.readLine();
        return result;
    }

    private void failed(int rc) {
        if (rc == Code.CONNECTIONLOSS.intValue()) {
            // Both nodes are looked for when the connection is back; the engine releases both claims.
            deletion.repeat();
            next.searchOnceConnected();
        } else {
            deletion.send();
            next.create();
        }
    }
}
