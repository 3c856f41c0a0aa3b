package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tests on one real server, whose shortest session is 2 s. Each test has a root of its own, and a client of ZooKeeper to look
 * at its nodes; whatever it opens is closed after it.
 */
abstract class OnSharedServer {
    static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    /** Rights of a node that any client may change. */
    static final List<ACL> OPEN = new ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"))));

    private static final AtomicInteger ROOTS = new AtomicInteger();

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    String root = "";
    RawClient raw;

    /** Started by the first test that uses it; it ends with the JVM. */
    private static final class Shared {
        static final ZooKeeperServer SERVER =
                ZooKeeperServer.open(ZooKeeperOptions.defaults().unflushed().option("minSessionTimeout", "2000"));
    }

    /** The server. */
    ZooKeeperServer server() {
        return Shared.SERVER;
    }

    @BeforeEach
    void openRoot() throws Exception {
        root = "/" + getClass().getSimpleName() + "-" + ROOTS.incrementAndGet();
        raw = open(RawClient.to(server()));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    /** Closes {@code value} after the test. */
    <T extends AutoCloseable> T open(T value) {
        opened.push(value);
        return value;
    }

    String url() {
        return server().url() + root;
    }

    String url(TcpProxy proxy) {
        return "zk://127.0.0.1:" + proxy.port() + root;
    }

    /** A store that the caller attaches and closes. */
    static LockStore store(String url) {
        return new ZooKeeperStoreProvider()
                .open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    /** A client over a store of the test. */
    Holdfast client(LockStore store) {
        return open(Holdfast.builder().store(store).open());
    }

    static LockOptions ttl(Duration ttl) {
        return waitUpTo(PATIENCE).ttl(ttl);
    }

    static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(10));
    }

    static void pause(int millis) {
        long start = System.nanoTime();
        await(millis + " ms have passed")
                .pollInterval(Duration.ofMillis(1))
                .until(() -> System.nanoTime() - start >= millis * 1_000_000L);
    }
}
