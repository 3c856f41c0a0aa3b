package io.holdfast.zookeeper;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** Looks at one name, or at all that begin so. Reads only, as the server that this client is connected to sees them. */
final class Inspection {
    private static final int AT_ONCE = 64;

    private final ZooKeeperLockStore store;
    private final Session session;
    private final LockQuery query;
    private final CompletableFuture<List<LockStatus>> result;

    Inspection(ZooKeeperLockStore store, Session session, LockQuery query, CompletableFuture<List<LockStatus>> result) {
        this.store = store;
        this.session = session;
        this.query = query;
        this.result = result;
    }

    void start() {
        if (query.prefix()) {
            session.zk.getChildren(
                    store.paths().names(),
                    false,
                    (int rc, String path, Object context, List<String> children) -> {
                        if (rc == Code.OK.intValue()) {
                            next(Paths.decode(children, query.text()), 0, new ArrayList<>());
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
                    result.completeExceptionally(ZooKeeperLockStore.unwrapped(failure));
                } else {
                    result.complete(List.of(status));
                }
            });
        }
    }

    /** Containers stay for a while after their last node: names are looked at until enough are in use. */
    private void next(List<String> names, int from, List<LockStatus> found) {
        int to = Math.min(names.size(), from + AT_ONCE);
        List<CompletableFuture<LockStatus>> looks = names.subList(from, to).stream()
                .map(name -> look(name).toCompletableFuture())
                .toList();
        CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)).whenComplete((nothing, failure) -> {
            if (failure != null) {
                result.completeExceptionally(ZooKeeperLockStore.unwrapped(failure));
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
        String parent = store.paths().name(name);
        session.zk.getChildren(
                parent,
                false,
                (int rc, String path, Object context, List<String> children, Stat stat) -> {
                    if (rc == Code.OK.intValue()) {
                        new Look(name, parent, Line.of(children), stat.getPzxid(), status).read();
                    } else if (rc == Code.NONODE.intValue()) {
                        unknown(name, status);
                    } else {
                        status.completeExceptionally(store.trouble("inspecting '" + name + "'", rc));
                    }
                },
                null);
        return status;
    }

    /** Whatever was granted under a name that is not there any more has a smaller zxid than a write of now. */
    private void unknown(String name, CompletableFuture<LockStatus> status) {
        session.beat(
                zxid -> status.complete(free(name, zxid)),
                () -> status.completeExceptionally(
                        store.trouble("inspecting '" + name + "'", Code.CONNECTIONLOSS.intValue())));
    }

    private LockStatus free(String name, long zxid) {
        return new LockStatus(name, List.of(), 0, Duration.ZERO, false, lastToken(zxid), Duration.ZERO);
    }

    private long lastToken(long zxid) {
        return store.token(zxid) + 255;
    }

    private void failed(int rc) {
        result.completeExceptionally(store.trouble("inspecting '" + query.text() + "'", rc));
    }

    /** The look at one name: its holders and lock-delays are read one by one, all at once. */
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
                                holders[index] = claim.holder(node.mode(), store.token(stat.getCzxid()));
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
                            DelayData found = rc == Code.OK.intValue() ? DelayData.parse(data) : null;
                            if (found != null) {
                                Duration left = store.delays().left(orphan, found, stat, 0, store.now());
                                delay = left.compareTo(delay) > 0 ? left : delay;
                            }
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
                    name, all, line.size() - holders.length, delay, revoked, lastToken(pzxid), Duration.ZERO));
        }
    }
}
