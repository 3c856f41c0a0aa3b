package io.holdfast.zookeeper.claim;

import io.holdfast.Holder;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.session.Session;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Reads which client a node belongs to, for refusals and releases. */
final class HolderLookup {
    private HolderLookup() {}

    /** Tells the client of a node below {@code parent}; null if the node is gone or unreadable. */
    static void read(StoreSetup setup, Session session, String parent, NodeName node, Consumer<@Nullable Holder> told) {
        session.zk.getData(
                parent + "/" + node.text(),
                false,
                (rc, path, context, data, stat) -> {
                    ClaimData found = rc == Code.OK.intValue() ? ClaimData.parse(data) : null;
                    told.accept(found == null ? null : found.holder(node.mode(), setup.token(stat.getCzxid())));
                },
                null);
    }
}
