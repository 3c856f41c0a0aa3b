package io.holdfast.zookeeper.lease;

import io.holdfast.spi.HolderId;
import io.holdfast.zookeeper.line.ClaimData;
import io.holdfast.zookeeper.line.NodeName;
import io.holdfast.zookeeper.session.Session;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Deletes ephemeral nodes of a session that belong to no claim (L2): they would keep a name locked for as long as the
 * session lives. Only nodes that this store created are deleted, because several stores may use one client.
 */
final class OrphanSweep {
    private final StoreSetup setup;
    private final ClaimRegistry<?> claims;

    OrphanSweep(StoreSetup setup, ClaimRegistry<?> claims) {
        this.setup = setup;
        this.claims = claims;
    }

    void start(Session session) {
        String names = setup.paths().names();
        session.zk.getEphemerals(
                names,
                (rc, context, nodes) -> {
                    for (String node : nodes == null ? List.<String>of() : nodes) {
                        NodeName name = NodeName.parse(node.substring(node.lastIndexOf('/') + 1));
                        int below = node.indexOf(names); // behind a chroot, if there is one
                        if (name != null && below >= 0 && claims.find(name.holder()) == null) {
                            deleteIfOurs(session, node.substring(below), name.holder());
                        }
                    }
                },
                null);
    }

    private void deleteIfOurs(Session session, String node, HolderId holder) {
        session.zk.getData(
                node,
                false,
                (rc, path, context, data, stat) -> {
                    ClaimData found = rc == Code.OK.intValue() ? ClaimData.parse(data) : null;
                    if (found != null && setup.id().equals(found.store()) && claims.find(holder) == null) {
                        session.zk.delete(node, -1, (code, p, c) -> {}, null);
                    }
                },
                null);
    }
}
