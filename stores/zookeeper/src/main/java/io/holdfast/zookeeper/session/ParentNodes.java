package io.holdfast.zookeeper.session;

import io.holdfast.StoreUnavailableException;
import io.holdfast.zookeeper.line.NodePaths;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * The nodes above claims and heartbeats. A store creates the upper ones when it is opened, and the container of a lock when
 * it is first used; both again if an operator deleted them.
 *
 * @param paths where they are
 * @param acl their rights
 * @param errors the store's messages
 */
public record ParentNodes(NodePaths paths, List<ACL> acl, StoreErrors errors) {
    private static final byte[] EMPTY = {};

    /** Creates what is missing above all locks and heartbeats. Blocks. */
    void prepare(ZooKeeper zk) {
        try {
            for (String wanted : new String[] {paths.names(), paths.clients()}) {
                if (zk.exists(wanted, false) == null) {
                    for (String path : NodePaths.withParents(wanted)) {
                        createIfAbsent(zk, path);
                    }
                }
            }
        } catch (KeeperException e) {
            throw new StoreUnavailableException(
                    "store " + errors.location() + ": the nodes " + paths.names() + " and " + paths.clients()
                            + " cannot be created: " + e.code()
                            + (e.code() == Code.NOAUTH ? "; give user:password@ of a user that may" : ""),
                    false,
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(
                    "store " + errors.location() + ": interrupted while opening it", false, e);
        }
    }

    private void createIfAbsent(ZooKeeper zk, String path) throws KeeperException, InterruptedException {
        try {
            if (zk.exists(path, false) == null) {
                zk.create(path, EMPTY, acl, CreateMode.PERSISTENT);
            }
        } catch (KeeperException.NodeExistsException raced) {
            // Another client was faster.
        }
    }

    /** Creates the container of a lock and whatever is missing above it; {@code done} gets null, or what went wrong. */
    public void makeContainer(Session session, String path, Consumer<@Nullable StoreUnavailableException> done) {
        session.zk.create(
                path,
                EMPTY,
                acl,
                CreateMode.CONTAINER,
                (rc, asked, context, name) -> {
                    if (exists(rc)) {
                        done.accept(null);
                    } else if (rc == Code.CONNECTIONLOSS.intValue()) {
                        session.onceConnected(() -> makeContainer(session, path, done));
                    } else if (rc == Code.NONODE.intValue()) {
                        makeNames(session, () -> makeContainer(session, path, done), done);
                    } else {
                        done.accept(errors.answered("creating node " + path, rc));
                    }
                },
                null);
    }

    private void makeNames(Session session, Runnable made, Consumer<? super StoreUnavailableException> failed) {
        List<String> all = NodePaths.withParents(paths.names());
        AtomicInteger open = new AtomicInteger(all.size());
        for (String path : all) {
            session.zk.create(
                    path,
                    EMPTY,
                    acl,
                    CreateMode.PERSISTENT,
                    (int rc, String asked, Object context, String name) -> {
                        if (open.decrementAndGet() > 0) {
                            return;
                        }
                        if (exists(rc)) {
                            made.run();
                        } else {
                            failed.accept(errors.answered("creating node " + paths.names(), rc));
                        }
                    },
                    null);
        }
    }

    private static boolean exists(int rc) {
        return rc == Code.OK.intValue() || rc == Code.NODEEXISTS.intValue();
    }
}
