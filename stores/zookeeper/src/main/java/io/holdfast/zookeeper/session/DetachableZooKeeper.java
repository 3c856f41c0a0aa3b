package io.holdfast.zookeeper.session;

import java.io.IOException;
import java.time.Duration;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * ZooKeeper's client, which can also disconnect without ending its session. The server then keeps the session's nodes
 * until its timeout, as if the process had died.
 */
@SuppressWarnings("try") // ZooKeeper declares close() as interruptible
final class DetachableZooKeeper extends ZooKeeper {
    DetachableZooKeeper(String servers, Duration timeout, Watcher watcher, ZKClientConfig config) throws IOException {
        super(servers, (int) timeout.toMillis(), watcher, config);
    }

    /** Ends the threads and the connection of this client, but not its session. */
    void detach() {
        cnxn.disconnect();
    }
}
