package io.holdfast.bench.library;

import io.holdfast.bench.measure.LockClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/** The libraries for ZooKeeper. The session lives as long as a lock does after the death of its holder. */
public final class ZooKeeperLibraries implements LockLibraries {
    /** Create and delete of one ephemeral node: no token, no queue, no waiting. */
    public static final LockLibrary RAW =
            LockLibrary.floor("raw create + delete", (url, ttl) -> raw(address(url), ttl));

    /** Ours with one node per name, which all waiters watch. */
    public static final LockLibrary HOLDFAST_SINGLE = HoldfastLibrary.withUrl("holdfast single", "?mode=single");

    /** Curator, one object for all threads. */
    public static final LockLibrary CURATOR_SHARED = LockLibrary.peer("Curator shared object", (url, ttl) -> {
        Map<String, InterProcessMutex> locks = new ConcurrentHashMap<>();
        return curator(url, ttl, client -> name -> locks.computeIfAbsent(name, key -> mutex(client, key)));
    });

    /** Curator, an object for every thread. */
    public static final LockLibrary CURATOR = LockLibrary.peer(
            "Curator object per thread", (url, ttl) -> curator(url, ttl, client -> name -> mutex(client, name)));

    /** Spring Integration's registry, over Curator. */
    public static final LockLibrary SPRING = LockLibrary.peer("Spring Integration", (url, ttl) -> {
        CuratorFramework client = connected(address(url), ttl);
        ZookeeperLockRegistry registry = new ZookeeperLockRegistry(client, "/spring");
        return LockClient.of(name -> LockClient.Handle.of(registry.obtain(name), LockClient.NOT_ASKED), () -> {
            registry.destroy();
            client.close();
        });
    });

    /** Every lock that waits; the better of Curator's two first. */
    public static final List<LockLibrary> LOCKS =
            List.of(CURATOR, HoldfastLibrary.DEFAULT, HOLDFAST_SINGLE, CURATOR_SHARED, SPRING);

    @Override
    public List<LockLibrary> all() {
        return LOCKS;
    }

    private static String address(String url) {
        return url.substring(url.indexOf("://") + 3);
    }

    private static LockClient raw(String address, Duration session) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper zk = new ZooKeeper(address, (int) session.toMillis(), event -> connected.countDown());
        connected.await();
        List<ACL> open = new ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"))));
        try {
            zk.create("/raw", new byte[0], open, CreateMode.PERSISTENT);
        } catch (KeeperException.NodeExistsException e) {
            // Another client was faster.
        }
        byte[] data = new byte[64];
        return LockClient.of(
                name -> LockClient.Handle.of(
                        () -> {
                            zk.create("/raw/" + name, data, open, CreateMode.EPHEMERAL);
                            return 0;
                        },
                        () -> zk.delete("/raw/" + name, -1),
                        LockClient.NOT_ASKED),
                () -> {
                    try {
                        zk.close();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private static InterProcessMutex mutex(CuratorFramework client, String name) {
        return new InterProcessMutex(client, "/curator/" + name);
    }

    private static LockClient curator(
            String url, Duration session, Function<CuratorFramework, Function<String, InterProcessMutex>> objects)
            throws InterruptedException {
        CuratorFramework client = connected(address(url), session);
        Function<String, InterProcessMutex> locks = objects.apply(client);
        return LockClient.of(
                name -> {
                    InterProcessMutex lock = locks.apply(name);
                    return LockClient.Handle.of(
                            () -> {
                                lock.acquire();
                                return 0;
                            },
                            lock::release,
                            lock::isAcquiredInThisProcess);
                },
                client::close);
    }

    private static CuratorFramework connected(String address, Duration session) throws InterruptedException {
        int millis = (int) session.toMillis();
        CuratorFramework client = CuratorFrameworkFactory.newClient(address, millis, millis, new RetryOneTime(1));
        client.start();
        client.blockUntilConnected();
        return client;
    }
}
