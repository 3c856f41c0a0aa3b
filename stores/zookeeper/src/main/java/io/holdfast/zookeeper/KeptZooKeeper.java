package io.holdfast.zookeeper;

import java.io.IOException;
import java.time.Duration;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * ZooKeeper's client, which can also leave without ending its session: what it holds then ends with the session's
 * timeout, as if its process had died.
 */
@SuppressWarnings("try") // close() may be interrupted: so ZooKeeper declares it
final class KeptZooKeeper extends ZooKeeper {
    KeptZooKeeper(String servers, Duration timeout, Watcher watcher, ZKClientConfig config) throws IOException {
        super(servers, (int) timeout.toMillis(), watcher, config);
    }

    /** Ends threads and connection, not the session. */
    void leave() {
        cnxn.disconnect();
    }
}
