package io.holdfast.zookeeper.single;

import io.holdfast.Revocation;
import io.holdfast.spi.RevokeResult;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/**
 * Takes a lock from its holder. It ends only the holder that was seen (U32): the version of the container counts
 * acquisitions, and the acquisition that created the node wrote the container in the same transaction. So a version belongs
 * to a node if their zxids are equal, and the revocation fails if another client has acquired the lock since. It is then
 * tried again.
 */
final class SingleNodeRevocation {
    private static final int TRIES = 5;

    private final StoreSetup setup;
    private final Session session;
    private final String what;
    private final String parent;
    private final Revocation how;
    private final CompletableFuture<RevokeResult> result;
    private int tries;

    SingleNodeRevocation(
            StoreSetup setup,
            Session session,
            String lockName,
            Revocation how,
            CompletableFuture<RevokeResult> result) {
        this.setup = setup;
        this.session = session;
        this.what = "revoking lock '" + lockName + "'";
        this.parent = setup.paths().name(lockName);
        this.how = how;
        this.result = result;
    }

    void start() {
        tries++;
        session.zk.exists(
                parent,
                false,
                (rc, path, context, container) -> {
                    if (rc == Code.OK.intValue()) {
                        readNode(container.getMzxid(), container.getVersion());
                    } else {
                        failed(rc);
                    }
                },
                null);
    }

    private void readNode(long lastAcquired, int acquisition) {
        session.zk.getData(
                node(),
                false,
                (rc, path, context, data, stat) -> {
                    if (rc != Code.OK.intValue()) {
                        failed(rc);
                    } else if (stat.getCzxid() == lastAcquired) {
                        end(acquisition, data);
                    } else {
                        again();
                    }
                },
                null);
    }

    private void end(int acquisition, byte[] data) {
        ClaimData claim = ClaimData.parse(data);
        boolean now = how == Revocation.NOW;
        Duration opensIn = now || claim == null ? Duration.ZERO : claim.ttl();
        session.zk.multi(
                List.of(Op.check(parent, acquisition), now ? Op.delete(node(), -1) : Op.setData(node(), data, -1)),
                (int rc, String path, Object context, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue()) {
                        result.complete(new RevokeResult.Revoked(opensIn));
                    } else if (rc == Code.BADVERSION.intValue() || rc == Code.NONODE.intValue()) {
                        again();
                    } else {
                        failed(rc);
                    }
                },
                null);
    }

    /** The holder that was seen has left meanwhile. */
    private void again() {
        if (tries < TRIES) {
            start();
        } else {
            failed(Code.BADVERSION.intValue());
        }
    }

    private void failed(int rc) {
        if (rc == Code.NONODE.intValue()) {
            result.complete(new RevokeResult.NotHeld());
        } else {
            result.completeExceptionally(setup.errors().answered(what, rc));
        }
    }

    private String node() {
        return parent + SingleNodeLocks.NODE;
    }
}
