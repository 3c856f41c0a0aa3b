package io.holdfast.zookeeper.lease;

import io.holdfast.spi.StoreContext;
import io.holdfast.zookeeper.line.NodePaths;
import io.holdfast.zookeeper.session.ParentNodes;
import io.holdfast.zookeeper.session.SessionSettings;
import io.holdfast.zookeeper.session.StoreErrors;
import java.util.List;
import org.apache.zookeeper.data.ACL;

/**
 * What is fixed for a store once it is attached to its client.
 *
 * @param id is written into every node of this store: another store may use the same session
 * @param settings paths, rights and messages
 * @param tokenBase is added to every token
 * @param context clock, timer and signals of the client
 */
public record StoreSetup(String id, SessionSettings settings, long tokenBase, StoreContext context) {
    /** Where nodes are. */
    public NodePaths paths() {
        return settings.paths();
    }

    /** The rights of every node. */
    public List<ACL> acl() {
        return settings.acl();
    }

    /** The store's messages. */
    public StoreErrors errors() {
        return settings.errors();
    }

    /** The nodes above claims. */
    public ParentNodes parents() {
        return new ParentNodes(paths(), acl(), errors());
    }

    /** The client's monotonic clock. */
    public long now() {
        return context.ticker().nanos();
    }

    /** The first of the 256 tokens of a grant: from the node's czxid, never from its sequence (docs/design.md, 6). */
    public long token(long czxid) {
        return (czxid << 8) + tokenBase;
    }

    /** The highest token that any grant can have whose node was created at this zxid or earlier. */
    public long lastToken(long zxid) {
        return token(zxid) + 255;
    }
}
