package io.holdfast.zookeeper.single;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.spi.LockQuery;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.NodePaths;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.StoreErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Reads the state of locks through one session. */
record SingleNodeInspection(StoreSetup setup, Session session) {
    /** Completes {@code result} with the locks that match. */
    void start(LockQuery query, CompletableFuture<List<LockStatus>> result) {
        if (!query.prefix()) {
            read(query.text()).whenComplete((status, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(StoreErrors.unwrapped(failure));
                } else {
                    result.complete(List.of(status));
                }
            });
            return;
        }
        session.zk.getChildren(
                setup.paths().names(),
                false,
                (int rc, String path, Object context, List<String> children) -> {
                    if (rc == Code.OK.intValue()) {
                        readAll(NodePaths.decode(children, query.text()), query.limit(), result);
                    } else {
                        result.completeExceptionally(setup.errors().answered("listing", rc));
                    }
                },
                null);
    }

    private void readAll(List<String> names, int limit, CompletableFuture<List<LockStatus>> result) {
        List<CompletableFuture<LockStatus>> all = new ArrayList<>();
        names.forEach(name -> all.add(read(name)));
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).whenComplete((nothing, failure) -> {
            if (failure != null) {
                result.completeExceptionally(StoreErrors.unwrapped(failure));
            } else {
                result.complete(all.stream()
                        .map(CompletableFuture::join)
                        .filter(LockStatus::held)
                        .limit(limit)
                        .toList());
            }
        });
    }

    /** The state of one lock. */
    CompletableFuture<LockStatus> read(String lockName) {
        CompletableFuture<LockStatus> result = new CompletableFuture<>();
        String what = "looking at '" + lockName + "'";
        session.zk.getData(
                setup.paths().name(lockName) + SingleNodeLocks.NODE,
                false,
                (rc, path, context, data, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        ClaimData claim = ClaimData.parse(data);
                        Holder holder =
                                claim == null ? null : claim.holder(Mode.EXCLUSIVE, setup.token(stat.getCzxid()));
                        result.complete(status(lockName, holder, stat.getVersion() > 0, stat.getCzxid()));
                    } else if (rc == Code.NONODE.intValue()) {
                        // The zxid of a write that is made now is above that of all earlier grants.
                        session.beat(
                                zxid -> result.complete(status(lockName, null, false, zxid)),
                                () -> result.completeExceptionally(
                                        setup.errors().answered(what, Code.CONNECTIONLOSS.intValue())));
                    } else {
                        result.completeExceptionally(setup.errors().answered(what, rc));
                    }
                },
                null);
        return result;
    }

    private LockStatus status(String lockName, @Nullable Holder holder, boolean revoked, long zxid) {
        return new LockStatus(
                lockName,
                holder == null ? List.of() : List.of(holder),
                0,
                Duration.ZERO,
                revoked,
                setup.lastToken(zxid),
                Duration.ZERO);
    }
}
