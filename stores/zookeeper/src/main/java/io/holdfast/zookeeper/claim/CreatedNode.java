package io.holdfast.zookeeper.claim;

/**
 * A claim's node as ZooKeeper's answer describes it.
 *
 * @param path its path
 * @param czxid the position in ZooKeeper's log at which it was created
 * @param owner the id of the session that it belongs to
 * @param leaderMillis when it was created by the leader's clock; 0 if that is not known
 * @param knownAt when the answer came, on the client's monotonic clock
 */
record CreatedNode(String path, long czxid, long owner, long leaderMillis, long knownAt) {
    /** What the leader's clock shows at {@code now}, give or take the time of the answer; 0 if that is not known. */
    long leaderMillisAt(long now) {
        return leaderMillis == 0 ? 0 : leaderMillis + (now - knownAt) / 1_000_000;
    }
}
