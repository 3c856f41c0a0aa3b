package io.holdfast.zookeeper.claim;

import io.holdfast.Revocation;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RevokeResult;
import io.holdfast.zookeeper.delay.DelayStarts;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.session.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lock from its holders: at once, by deleting their nodes and lock-delays; or at the end of their leases, by writing
 * to their nodes. Each holder watches its node, and only a revocation writes to it. Acts on the holders that one read of the
 * line showed; if all of them have left meanwhile, the line is read again (U32).
 */
final class LineRevocation {
    private static final int TRIES = 5;

    private final StoreSetup setup;
    private final DelayStarts starts;
    private final Session session;
    private final String lockName;
    private final String parent;
    private final Revocation how;
    private final CompletableFuture<RevokeResult> result;
    private Duration longest = Duration.ZERO;
    private int open;
    private int tries;
    private int revoked;

    LineRevocation(
            StoreSetup setup,
            DelayStarts starts,
            Session session,
            String lockName,
            Revocation how,
            CompletableFuture<RevokeResult> result) {
        this.setup = setup;
        this.starts = starts;
        this.session = session;
        this.lockName = lockName;
        this.parent = setup.paths().name(lockName);
        this.how = how;
        this.result = result;
    }

    void start() {
        tries++;
        session.zk.getChildren(
                parent,
                false,
                (int rc, String path, Object context, List<String> children) -> {
                    if (rc == Code.OK.intValue()) {
                        found(Line.of(children));
                    } else if (rc == Code.NONODE.intValue()) {
                        result.complete(new RevokeResult.NotHeld());
                    } else {
                        failed(rc);
                    }
                },
                null);
    }

    private void found(Line line) {
        List<HolderId> orphans = line.orphans();
        List<NodeName> holders = orphans.isEmpty() ? line.granted() : List.of();
        if (holders.isEmpty() && orphans.isEmpty()) {
            result.complete(new RevokeResult.NotHeld());
        } else if (how == Revocation.NOW) {
            deleteAll(line, holders);
        } else {
            open = holders.size() + orphans.size();
            revoked = 0;
            longest = Duration.ZERO;
            holders.forEach(this::mark);
            orphans.forEach(this::add);
        }
    }

    private void deleteAll(Line line, List<NodeName> holders) {
        List<Op> ops = new ArrayList<>();
        holders.forEach(holder -> ops.add(Op.delete(parent + "/" + holder.text(), -1)));
        // During a lock-delay only the delays of holders that are gone: claims in line keep theirs (U32).
        (holders.isEmpty() ? line.orphans() : line.delays())
                .forEach(delay -> ops.add(Op.delete(parent + "/" + Line.delayNode(delay), -1)));
        session.zk.multi(
                ops,
                (int rc, String path, Object context, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue()) {
                        result.complete(new RevokeResult.Revoked(Duration.ZERO));
                    } else if (rc == Code.NONODE.intValue() && tries < TRIES) {
                        start();
                    } else {
                        failed(rc);
                    }
                },
                null);
    }

    private void mark(NodeName holder) {
        String path = parent + "/" + holder.text();
        session.zk.getData(
                path,
                false,
                (rc, asked, context, data, stat) -> {
                    if (rc != Code.OK.intValue()) {
                        one(rc, null);
                        return;
                    }
                    ClaimData claim = ClaimData.parse(data);
                    session.zk.setData(
                            path,
                            data,
                            -1,
                            (code, p, c, s) ->
                                    one(code, claim == null ? null : claim.ttl().plus(claim.lockDelay())),
                            null);
                },
                null);
    }

    private void add(HolderId orphan) {
        session.zk.getData(
                parent + "/" + Line.delayNode(orphan),
                false,
                (rc, asked, context, data, stat) -> {
                    one(rc, rc == Code.OK.intValue() ? starts.left(orphan, data, stat, setup.now()) : null);
                },
                null);
    }

    /** One of the holders is revoked, or has left meanwhile. */
    private void one(int rc, @Nullable Duration opensIn) {
        boolean there = rc == Code.OK.intValue();
        if (there) {
            revoked++;
            longest = opensIn != null && opensIn.compareTo(longest) > 0 ? opensIn : longest;
        }
        if (!there && rc != Code.NONODE.intValue()) {
            failed(rc);
        } else if (--open == 0) {
            if (revoked > 0) {
                result.complete(new RevokeResult.Revoked(longest));
            } else if (tries < TRIES) {
                start();
            } else {
                failed(rc);
            }
        }
    }

    private void failed(int rc) {
        result.completeExceptionally(setup.errors().answered("revoking lock '" + lockName + "'", rc));
    }
}
