package io.holdfast.zookeeper.session;

import io.holdfast.zookeeper.line.NodePaths;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.data.ACL;

/**
 * What all sessions of a store have in common.
 *
 * @param paths where nodes are
 * @param acl the rights of every node that the store creates
 * @param longest the timeout to ask for with the first session, which is the longest
 * @param ioTimeout the longest that a request may take
 * @param errors the store's messages
 */
public record SessionSettings(
        NodePaths paths, List<ACL> acl, Duration longest, Duration ioTimeout, StoreErrors errors) {}
