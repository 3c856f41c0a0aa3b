package io.holdfast.bench.workloads;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
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
import org.jspecify.annotations.Nullable;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/** Who takes part. */
enum ZooKeeperPeers {
    /** Create and delete of one ephemeral node: no token, no queue, no waiting. */
    RAW("raw create + delete"),
    /** Ours. */
    HOLDFAST("holdfast"),
    /** Ours with one node per name, which everybody watches. */
    HOLDFAST_SINGLE("holdfast single"),
    /** Curator, one object for all threads. */
    CURATOR_SHARED("Curator shared object"),
    /** Curator, an object for every thread. */
    CURATOR("Curator object per thread"),
    /** Spring Integration's registry, over Curator. */
    SPRING("Spring Integration");

    private static final int SESSION_MILLIS = 30_000;

    private final String title;

    ZooKeeperPeers(String title) {
        this.title = title;
    }

    /** Its name in the report. */
    String title() {
        return title;
    }

    /** A client of the server at this address. */
    ZooKeeperPeer open(String address) {
        try {
            return switch (this) {
                case RAW -> raw(address);
                case HOLDFAST -> holdfast("zk://" + address);
                case HOLDFAST_SINGLE -> holdfast("zk://" + address + "?mode=single");
                case CURATOR_SHARED -> shared(address);
                case CURATOR -> curator(address, client -> name -> new InterProcessMutex(client, "/curator/" + name));
                case SPRING -> spring(address);
            };
        } catch (Exception e) {
            throw new IllegalStateException(title + " cannot be opened", e);
        }
    }

    private static ZooKeeperPeer raw(String address) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper zk = new ZooKeeper(address, SESSION_MILLIS, event -> connected.countDown());
        connected.await();
        List<ACL> open = new ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"))));
        try {
            zk.create("/raw", new byte[0], open, CreateMode.PERSISTENT);
        } catch (KeeperException.NodeExistsException e) {
            // Another client was faster.
        }
        byte[] data = new byte[64];
        return new ZooKeeperPeer() {
            @Override
            public Handle handle(String name) {
                return new Handle() {
                    @Override
                    public long lock() throws Exception {
                        zk.create("/raw/" + name, data, open, CreateMode.EPHEMERAL);
                        return 0;
                    }

                    @Override
                    public void unlock() throws Exception {
                        zk.delete("/raw/" + name, -1);
                    }
                };
            }

            @Override
            public void close() {
                try {
                    zk.close();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    private static ZooKeeperPeer holdfast(String url) {
        Holdfast client = Holdfast.open(url);
        LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(5));
        return new ZooKeeperPeer() {
            @Override
            public Handle handle(String name) {
                DistributedLock lock = client.mutex(name);
                return new Handle() {
                    private @Nullable Lease lease;

                    @Override
                    public long lock() throws InterruptedException {
                        Lease taken = lock.acquire(patient);
                        lease = taken;
                        return taken.token();
                    }

                    @Override
                    public void unlock() {
                        Objects.requireNonNull(lease).close();
                    }
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private static ZooKeeperPeer shared(String address) {
        Map<String, InterProcessMutex> locks = new ConcurrentHashMap<>();
        return curator(
                address,
                client -> name -> locks.computeIfAbsent(name, key -> new InterProcessMutex(client, "/curator/" + key)));
    }

    private static ZooKeeperPeer curator(
            String address, Function<CuratorFramework, Function<String, InterProcessMutex>> objects) {
        CuratorFramework client = connected(address);
        Function<String, InterProcessMutex> locks = objects.apply(client);
        return new ZooKeeperPeer() {
            @Override
            public Handle handle(String name) {
                InterProcessMutex lock = locks.apply(name);
                return new Handle() {
                    @Override
                    public long lock() throws Exception {
                        lock.acquire();
                        return 0;
                    }

                    @Override
                    public void unlock() throws Exception {
                        lock.release();
                    }
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private static ZooKeeperPeer spring(String address) {
        CuratorFramework client = connected(address);
        ZookeeperLockRegistry registry = new ZookeeperLockRegistry(client, "/spring");
        return new ZooKeeperPeer() {
            @Override
            public Handle handle(String name) {
                Lock lock = registry.obtain(name);
                return new Handle() {
                    @Override
                    public long lock() {
                        lock.lock();
                        return 0;
                    }

                    @Override
                    public void unlock() {
                        lock.unlock();
                    }
                };
            }

            @Override
            public void close() {
                registry.destroy();
                client.close();
            }
        };
    }

    private static CuratorFramework connected(String address) {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(address, SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(1));
        client.start();
        try {
            client.blockUntilConnected();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return client;
    }
}
