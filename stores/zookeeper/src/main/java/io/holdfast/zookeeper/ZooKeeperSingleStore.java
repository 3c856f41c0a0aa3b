package io.holdfast.zookeeper;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.WatchableStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper as one ephemeral node per name, which everybody who waits watches: the textbook herd, and the least
 * that an uncontended lock can cost. Exclusive mode only, no lock-delay, no order among those who wait.
 *
 * <p>A name's container counts the acquisitions in its version: acquiring writes it, and a release deletes the node only
 * if the version is still its own. So a late release never deletes the node of somebody else.
 */
public final class ZooKeeperSingleStore extends SessionStore<Grip> implements WatchableStore {
    static final String NODE = "/lock";
    private static final int REVOKE_TRIES = 5;

    ZooKeeperSingleStore(Sessions sessions, ZooKeeperConfig config, String location) {
        super(sessions, config, limits(location));
    }

    private static StoreInfo limits(String location) {
        StoreInfo usual = StoreInfo.of("zookeeper", location);
        return new StoreInfo(
                usual.kind(),
                location,
                usual.minTtl(),
                usual.maxTtl(),
                usual.maxNameLength(),
                EnumSet.of(Mode.EXCLUSIVE),
                false,
                usual.ioTimeout(),
                false,
                usual.pauseMin(),
                usual.pauseRandom());
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        Grip known = places.get(claim.holder());
        if (known != null) {
            Granted grant = known.granted(now());
            return grant != null
                    ? CompletableFuture.completedFuture(grant)
                    : pending().boundedCopy(known.answer(), what(claim));
        }
        if (tombstones.has(claim.holder(), now())) {
            return CompletableFuture.completedFuture(new Refused(null, null, false, null));
        }
        RuntimeException unfit = unfit(claim);
        if (unfit != null) {
            return CompletableFuture.failedFuture(unfit);
        }
        CompletableFuture<AcquireResult> result = new CompletableFuture<>();
        inSession(claim, result, session -> {
            Grip grip = new Grip(this, session, claim);
            places.put(claim.holder(), grip);
            if (session.isOver() || tombstones.has(claim.holder(), now())) {
                forget(grip);
                throw session.isOver() ? noSession() : withdrawn(claim);
            }
            grip.answer().whenComplete((answer, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(unwrapped(failure));
                } else {
                    result.complete(answer);
                }
            });
            grip.create();
        });
        return pending().bounded(result, what(claim));
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        tombstones.add(claim.holder(), now());
        String what = "releasing lock '" + claim.lockName() + "'";
        Grip grip = places.get(claim.holder());
        if (grip != null && grip.claim().lockName().equals(claim.lockName())) {
            return pending().boundedCopy(grip.release(), what);
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        look(claim.lockName(), seen -> result.complete(new ReleaseResult.NotHeld(seen.holder())), result);
        return pending().bounded(result, what);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        Session session = sessions.any();
        if (session == null) {
            return CompletableFuture.failedFuture(noSession());
        }
        CompletableFuture<List<LockStatus>> result = new CompletableFuture<>();
        if (!query.prefix()) {
            look(query.text(), seen -> result.complete(List.of(status(query.text(), seen))), result);
        } else {
            session.zk.getChildren(
                    paths().names(),
                    false,
                    (int rc, String path, Object context, List<String> children) -> {
                        if (rc == Code.OK.intValue()) {
                            inspectAll(Paths.decode(children, query.text()), query.limit(), result);
                        } else {
                            result.completeExceptionally(trouble("listing", rc));
                        }
                    },
                    null);
        }
        return pending().bounded(result, "inspecting '" + query.text() + "'");
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        CompletableFuture<RevokeResult> result = new CompletableFuture<>();
        Session session = sessions.any();
        if (session == null) {
            result.completeExceptionally(noSession());
        } else {
            revoke(session, lockName, how, REVOKE_TRIES, result);
        }
        return pending().bounded(result, "revoking lock '" + lockName + "'");
    }

    /**
     * U32: ends only the holder that was seen. The version of the container counts acquisitions, and the acquisition that
     * made the node wrote the container in the same step; so the version belongs to the node if their zxids are equal, and
     * the revocation is refused if another client has acquired since.
     */
    private void revoke(
            Session session, String lockName, Revocation how, int tries, CompletableFuture<RevokeResult> result) {
        String parent = paths().name(lockName);
        session.zk.exists(
                parent,
                false,
                (rc, path, context, container) -> {
                    if (rc == Code.OK.intValue()) {
                        session.zk.getData(
                                parent + NODE,
                                false,
                                (code, p, c, data, stat) -> {
                                    if (code == Code.OK.intValue() && stat.getCzxid() == container.getMzxid()) {
                                        end(session, lockName, how, tries, container.getVersion(), data, result);
                                    } else if (code == Code.OK.intValue()) {
                                        again(session, lockName, how, tries, result);
                                    } else {
                                        notRevoked(code, result);
                                    }
                                },
                                null);
                    } else {
                        notRevoked(rc, result);
                    }
                },
                null);
    }

    private void end(
            Session session,
            String lockName,
            Revocation how,
            int tries,
            int acquisition,
            byte[] data,
            CompletableFuture<RevokeResult> result) {
        String parent = paths().name(lockName);
        ClaimData claim = ClaimData.parse(data);
        Duration opensIn = how == Revocation.NOW || claim == null ? Duration.ZERO : claim.ttl();
        Op ending = how == Revocation.NOW ? Op.delete(parent + NODE, -1) : Op.setData(parent + NODE, data, -1);
        session.zk.multi(
                List.of(Op.check(parent, acquisition), ending),
                (int rc, String path, Object context, List<OpResult> results) -> {
                    if (rc == Code.OK.intValue()) {
                        result.complete(new RevokeResult.Revoked(opensIn));
                    } else if (rc == Code.BADVERSION.intValue() || rc == Code.NONODE.intValue()) {
                        again(session, lockName, how, tries, result);
                    } else {
                        notRevoked(rc, result);
                    }
                },
                null);
    }

    /** The holder that was seen has left meanwhile: whatever holds now is looked at anew. */
    private void again(
            Session session, String lockName, Revocation how, int tries, CompletableFuture<RevokeResult> result) {
        if (tries > 1) {
            revoke(session, lockName, how, tries - 1, result);
        } else {
            result.completeExceptionally(trouble("revoking lock '" + lockName + "'", Code.BADVERSION.intValue()));
        }
    }

    private void notRevoked(int rc, CompletableFuture<RevokeResult> result) {
        if (rc == Code.NONODE.intValue()) {
            result.complete(new RevokeResult.NotHeld());
        } else {
            result.completeExceptionally(trouble("revoking", rc));
        }
    }

    @Override
    public Watch watch(String lockName, Runnable wake) {
        NodeWatch watch = new NodeWatch(paths().name(lockName) + NODE, wake);
        watch.arm(false);
        return watch;
    }

    /**
     * What stands at a name's node.
     *
     * @param content the whole node, which a revocation writes again
     */
    record Seen(@Nullable Holder holder, String content, int version, long zxid) {}

    /** Looks at a name's node; a failure goes to {@code failed}. */
    private void look(String lockName, Consumer<Seen> told, CompletableFuture<?> failed) {
        Session session = sessions.any();
        if (session == null) {
            failed.completeExceptionally(noSession());
            return;
        }
        session.zk.getData(
                paths().name(lockName) + NODE,
                false,
                (rc, path, context, data, stat) -> {
                    if (rc == Code.OK.intValue()) {
                        told.accept(seen(data, stat));
                    } else if (rc == Code.NONODE.intValue()) {
                        session.beat(
                                zxid -> told.accept(new Seen(null, "", 0, zxid)),
                                () -> failed.completeExceptionally(
                                        trouble("looking at '" + lockName + "'", Code.CONNECTIONLOSS.intValue())));
                    } else {
                        failed.completeExceptionally(trouble("looking at '" + lockName + "'", rc));
                    }
                },
                null);
    }

    Seen seen(byte[] data, Stat stat) {
        ClaimData claim = ClaimData.parse(data);
        Holder holder = claim == null ? null : claim.holder(Mode.EXCLUSIVE, token(stat.getCzxid()));
        return new Seen(holder, new String(data, StandardCharsets.UTF_8), stat.getVersion(), stat.getCzxid());
    }

    private LockStatus status(String name, Seen seen) {
        Holder holder = seen.holder();
        return new LockStatus(
                name,
                holder == null ? List.of() : List.of(holder),
                0,
                Duration.ZERO,
                seen.version() > 0,
                token(seen.zxid()) + 255,
                Duration.ZERO);
    }

    private void inspectAll(List<String> names, int limit, CompletableFuture<List<LockStatus>> result) {
        List<CompletableFuture<LockStatus>> all = new ArrayList<>();
        for (String name : names) {
            CompletableFuture<LockStatus> one = new CompletableFuture<>();
            all.add(one);
            look(name, seen -> one.complete(status(name, seen)), one);
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).whenComplete((nothing, failure) -> {
            if (failure != null) {
                result.completeExceptionally(unwrapped(failure));
            } else {
                result.complete(all.stream()
                        .map(CompletableFuture::join)
                        .filter(LockStatus::held)
                        .limit(limit)
                        .toList());
            }
        });
    }

    /**
     * A watch of one node, set again after every event until it is closed. A node that is gone when the watch reaches the
     * server was deleted on the way there, and nobody will tell of it: that is a hint too, unless it was given already.
     */
    private final class NodeWatch implements Watch {
        private final String node;
        private final Runnable wake;
        private volatile boolean closed;

        NodeWatch(String node, Runnable wake) {
            this.node = node;
            this.wake = wake;
        }

        void arm(boolean told) {
            Session session = sessions.any();
            if (session == null || closed) {
                return;
            }
            session.zk.exists(
                    node,
                    this::event,
                    (rc, path, context, stat) -> {
                        if (rc == Code.NONODE.intValue() && !told && !closed) {
                            wake.run();
                        }
                    },
                    null);
        }

        private void event(WatchedEvent event) {
            if (closed || event.getType() == EventType.None) {
                return;
            }
            boolean deleted = event.getType() == EventType.NodeDeleted;
            arm(deleted);
            if (deleted) {
                wake.run();
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
