package io.holdfast.zookeeper.claim;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.zookeeper.delay.DelayStarts;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.Line;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.line.NodePaths;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.StoreErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of one lock, or of all locks with a prefix. It only reads, from the server that this client is connected
 * to, which may be a moment behind the leader.
 */
final class LineInspection {
    private static final int AT_ONCE = 64;

    private final StoreSetup setup;
    private final DelayStarts starts;
    private final Session session;
    private final LockQuery query;
    private final CompletableFuture<List<LockStatus>> result;

    LineInspection(
            StoreSetup setup,
            DelayStarts starts,
            Session session,
            LockQuery query,
            CompletableFuture<List<LockStatus>> result) {
        this.setup = setup;
        this.starts = starts;
        this.session = session;
        this.query = query;
        this.result = result;
    }

    void start() {
        if (query.prefix()) {
            session.zk.getChildren(
                    setup.paths().names(),
                    false,
                    (int rc, String path, Object context, List<String> children) -> {
                        if (rc == Code.OK.intValue()) {
                            next(NodePaths.decode(children, query.text()), 0, new ArrayList<>());
                        } else if (rc == Code.NONODE.intValue()) {
                            result.complete(List.of());
                        } else {
                            failed(rc);
                        }
                    },
                    null);
        } else {
            look(query.text()).whenComplete((status, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(StoreErrors.unwrapped(failure));
                } else {
                    result.complete(List.of(status));
                }
            });
        }
    }

    /** Containers stay for a while after their last child: locks are read until enough of them are in use. */
    private void next(List<String> names, int from, List<LockStatus> found) {
        int to = Math.min(names.size(), from + AT_ONCE);
        List<CompletableFuture<LockStatus>> looks = names.subList(from, to).stream()
                .map(name -> look(name).toCompletableFuture())
                .toList();
        CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)).whenComplete((nothing, failure) -> {
            if (failure != null) {
                result.completeExceptionally(StoreErrors.unwrapped(failure));
                return;
            }
            for (CompletableFuture<LockStatus> look : looks) {
                LockStatus status = look.join();
                boolean used = status.held()
                        || status.waiting() > 0
                        || !status.lockDelay().isZero();
                if (used && found.size() < query.limit()) {
                    found.add(status);
                }
            }
            if (found.size() < query.limit() && to < names.size()) {
                next(names, to, found);
            } else {
                result.complete(found);
            }
        });
    }

    private CompletionStage<LockStatus> look(String name) {
        CompletableFuture<LockStatus> status = new CompletableFuture<>();
        String parent = setup.paths().name(name);
        session.zk.getChildren(
                parent,
                false,
                (int rc, String path, Object context, List<String> children, Stat stat) -> {
                    if (rc == Code.OK.intValue()) {
                        new Look(name, parent, Line.of(children), stat.getPzxid(), status).read();
                    } else if (rc == Code.NONODE.intValue()) {
                        unknown(name, status);
                    } else {
                        status.completeExceptionally(setup.errors().answered("inspecting '" + name + "'", rc));
                    }
                },
                null);
        return status;
    }

    /** A lock without a container: the zxid of a write that is made now is above that of all its grants. */
    private void unknown(String name, CompletableFuture<LockStatus> status) {
        session.beat(
                zxid -> status.complete(free(name, zxid)),
                () -> status.completeExceptionally(
                        setup.errors().answered("inspecting '" + name + "'", Code.CONNECTIONLOSS.intValue())));
    }

    private LockStatus free(String name, long zxid) {
        return new LockStatus(name, List.of(), 0, Duration.ZERO, false, setup.lastToken(zxid), Duration.ZERO);
    }

    private void failed(int rc) {
        result.completeExceptionally(setup.errors().answered("inspecting '" + query.text() + "'", rc));
    }

    /** Reads the holders and lock-delays of one lock, with one request each, sent together. */
    private final class Look {
        private final String name;
        private final String parent;
        private final Line line;
        private final long pzxid;
        private final CompletableFuture<LockStatus> status;
        private final @Nullable Holder[] holders;
        private final List<HolderId> orphans;
        private Duration delay = Duration.ZERO;
        private boolean revoked;
        private int open;

        Look(String name, String parent, Line line, long pzxid, CompletableFuture<LockStatus> status) {
            this.name = name;
            this.parent = parent;
            this.line = line;
            this.pzxid = pzxid;
            this.status = status;
            this.orphans = line.orphans();
            this.holders = new Holder[orphans.isEmpty() ? line.granted().size() : 0];
            this.open = holders.length + orphans.size();
        }

        void read() {
            if (open == 0) {
                finish();
                return;
            }
            for (int i = 0; i < holders.length; i++) {
                int index = i;
                NodeName node = line.granted().get(i);
                session.zk.getData(
                        parent + "/" + node.text(),
                        false,
                        (rc, path, context, data, stat) -> {
                            ClaimData claim = rc == Code.OK.intValue() ? ClaimData.parse(data) : null;
                            if (claim != null) {
                                holders[index] = claim.holder(node.mode(), setup.token(stat.getCzxid()));
                                revoked |= stat.getVersion() > 0;
                            }
                            one();
                        },
                        null);
            }
            for (HolderId orphan : orphans) {
                session.zk.getData(
                        parent + "/" + Line.delayNode(orphan),
                        false,
                        (rc, path, context, data, stat) -> {
                            Duration left =
                                    rc == Code.OK.intValue() ? starts.left(orphan, data, stat, setup.now()) : null;
                            delay = left != null && left.compareTo(delay) > 0 ? left : delay;
                            one();
                        },
                        null);
            }
        }

        private void one() {
            if (--open == 0) {
                finish();
            }
        }

        private void finish() {
            List<Holder> all = new ArrayList<>();
            for (Holder holder : holders) {
                if (holder != null) {
                    all.add(holder);
                }
            }
            status.complete(new LockStatus(
                    name, all, line.size() - holders.length, delay, revoked, setup.lastToken(pzxid), Duration.ZERO));
        }
    }
}
