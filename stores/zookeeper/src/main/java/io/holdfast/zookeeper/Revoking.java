package io.holdfast.zookeeper;

import io.holdfast.Revocation;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RevokeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lock from its holders: at once, by deleting their nodes and lock-delays; or at the end of their leases, by
 * writing to their nodes, which nobody else ever does and which each holder watches.
 */
final class Revoking {
    private static final int TRIES = 5;

    private final ZooKeeperLockStore store;
    private final Session session;
    private final String lockName;
    private final String parent;
    private final Revocation how;
    private final CompletableFuture<RevokeResult> result;
    private Duration longest = Duration.ZERO;
    private int open;
    private int tries;
    private int revoked;

    Revoking(
            ZooKeeperLockStore store,
            Session session,
            String lockName,
            Revocation how,
            CompletableFuture<RevokeResult> result) {
        this.store = store;
        this.session = session;
        this.lockName = lockName;
        this.parent = store.paths().name(lockName);
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
        // During a lock-delay only the delays of holders that are gone: claims that are there keep theirs (U32).
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
                    DelayData delay = rc == Code.OK.intValue() ? DelayData.parse(data) : null;
                    one(rc, delay == null ? null : store.delays().left(orphan, delay, stat, 0, store.now()));
                },
                null);
    }

    /** One of those that were seen is revoked, or has left meanwhile. If all have left, what holds now is looked at anew. */
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
        result.completeExceptionally(store.trouble("revoking lock '" + lockName + "'", rc));
    }
}
