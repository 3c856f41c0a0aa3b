package io.holdfast.zookeeper;

import io.holdfast.servers.ZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** ZooKeeper's own client, with which a test looks behind the store. */
final class RawClient implements AutoCloseable {
    final ZooKeeper zk;

    private RawClient(String address, int timeoutMillis) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        zk = new ZooKeeper(address, timeoutMillis, event -> connected.countDown());
        if (!connected.await(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no connection to " + address);
        }
    }

    static RawClient to(ZooKeeperServer server) throws Exception {
        return new RawClient(server.address(), 30_000);
    }

    static RawClient to(String address, int timeoutMillis) throws Exception {
        return new RawClient(address, timeoutMillis);
    }

    /** The children of a node; none if it is not there. */
    List<String> children(String path) throws Exception {
        try {
            return zk.getChildren(path, false);
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Every node below the names of a root, as paths. */
    List<String> nodes(String root) throws Exception {
        List<String> all = new ArrayList<>();
        for (String name : children(root + "/names")) {
            for (String node : children(root + "/names/" + name)) {
                all.add(root + "/names/" + name + "/" + node);
            }
        }
        return all;
    }

    @Override
    public void close() {
        try {
            zk.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
