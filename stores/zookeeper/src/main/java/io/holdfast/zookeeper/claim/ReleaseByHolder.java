package io.holdfast.zookeeper.claim;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.session.Session;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The release of a claim that this store does not know any more. Whatever is left of it is found by its holder id: its node,
 * or its lock-delay, which its release ends (U17).
 */
final class ReleaseByHolder {
    private final StoreSetup setup;
    private final Session session;
    private final Claim claim;
    private final String parent;
    private final CompletableFuture<ReleaseResult> result;

    ReleaseByHolder(StoreSetup setup, Session session, Claim claim, CompletableFuture<ReleaseResult> result) {
        this.setup = setup;
        this.session = session;
        this.claim = claim;
        this.parent = setup.paths().name(claim.lockName());
        this.result = result;
    }

    void start() {
        session.zk.getChildren(
                parent,
                false,
                (int rc, String path, Object context, List<String> children) -> {
                    if (rc == Code.OK.intValue()) {
                        found(Line.of(children));
                    } else if (rc == Code.NONODE.intValue()) {
                        result.complete(new ReleaseResult.NotHeld(null));
                    } else {
                        failed(rc);
                    }
                },
                null);
    }

    private void found(Line line) {
        NodeName own = line.find(claim.holder());
        boolean delay = line.hasDelayOf(claim.holder());
        if (own == null && !delay) {
            notHeld(line);
            return;
        }
        boolean held = delay || line.granted().contains(own);
        if (own != null && delay) {
            session.zk.delete(parent + "/" + own.text(), -1, (rc, path, context) -> {}, null);
        }
        String last = delay ? Line.delayNode(claim.holder()) : own == null ? "" : own.text();
        session.zk.delete(
                parent + "/" + last,
                -1,
                (rc, path, context) -> {
                    if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                        result.complete(held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
                    } else {
                        failed(rc);
                    }
                },
                null);
    }

    private void notHeld(Line line) {
        List<NodeName> holders = line.granted();
        if (holders.isEmpty()) {
            result.complete(new ReleaseResult.NotHeld(null));
        } else {
            HolderLookup.read(
                    setup,
                    session,
                    parent,
                    holders.get(0),
                    holder -> result.complete(new ReleaseResult.NotHeld(holder)));
        }
    }

    private void failed(int rc) {
        result.completeExceptionally(setup.errors().answered("releasing lock '" + claim.lockName() + "'", rc));
    }
}
