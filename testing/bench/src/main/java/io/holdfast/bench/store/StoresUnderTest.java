package io.holdfast.bench.store;

import io.holdfast.bench.library.EtcdLibraries;
import io.holdfast.bench.library.RedisLibraries;
import io.holdfast.bench.library.RedlockLibraries;
import io.holdfast.bench.library.SqlLibraries;
import io.holdfast.bench.library.ZooKeeperLibraries;
import io.holdfast.bench.question.Fairness;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.MySqlServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The stores that are measured, a line each. */
public final class StoresUnderTest {
    public static final String PACKETS = "packets";

    /** What both consensus stores keep, whatever their own shortest session is. */
    private static final Duration SESSION = Duration.ofSeconds(6);

    public static final int NODES = 5;

    private static final StoreUnderTest MEMORY = StoreUnderTest.inProcess("memory", "memory:bench");

    private static final StoreUnderTest SQLITE = StoreUnderTest.file("sqlite", file -> "sqlite:" + file);

    public static final StoreUnderTest REDIS = StoreUnderTest.servers(
                    "redis",
                    RedisServer::open,
                    List::of,
                    RedisServer::url,
                    RedisCounters::counters,
                    RedisCounters::memory)
            .against(new RedisLibraries(), RedisLibraries.REDISSON, RedisLibraries.REDISSON_FAIR);

    /** Without quarantine: servers that have just been started have no vote to forget. */
    public static final StoreUnderTest REDLOCK = StoreUnderTest.servers(
                    "redlock",
                    RedisNodes::open,
                    RedisNodes::servers,
                    nodes -> "redlock://" + nodes.addresses() + "?quarantine=off",
                    nodes -> RedisCounters.sum(nodes.servers()),
                    nodes -> nodes.servers().stream()
                            .mapToDouble(RedisCounters::memory)
                            .sum())
            .against(new RedlockLibraries(), RedlockLibraries.REDISSON_MULTI);

    /** As many connections as threads, for every library. Nothing is counted, because that would cost time. */
    public static final StoreUnderTest POSTGRES = StoreUnderTest.server(
                    "postgres",
                    () -> PostgresServer.open(),
                    server -> PostgresCounters.url(server) + "&holdfast.poolSize=" + SqlLibraries.CONNECTIONS)
            .against(new SqlLibraries(), SqlLibraries.SPRING);

    private static final StoreUnderTest COUNTING_POSTGRES = StoreUnderTest.servers(
                    "postgres",
                    PostgresCounters::open,
                    List::of,
                    PostgresCounters::url,
                    PostgresCounters::counters,
                    null)
            .against(new SqlLibraries(), SqlLibraries.SPRING);

    private static final StoreUnderTest MARIADB = StoreUnderTest.server(
                    "mariadb", MariaDbServer::open, server -> server.url() + "&holdfast.autoCreate=true")
            .against(new SqlLibraries(), SqlLibraries.SPRING);

    /** It flushes every change to its disk. */
    public static final StoreUnderTest ZOOKEEPER = StoreUnderTest.servers(
                    "zookeeper",
                    () -> ZooKeeperServer.open(ZooKeeperOptions.defaults().tick(Duration.ofSeconds(2))),
                    List::of,
                    ZooKeeperServer::url,
                    server -> Map.of(PACKETS, (double) server.packets()),
                    null)
            .against(new ZooKeeperLibraries(), ZooKeeperLibraries.CURATOR)
            .shortTtl(SESSION);

    public static final StoreUnderTest ETCD = StoreUnderTest.servers(
                    "etcd", () -> EtcdServer.open(), List::of, EtcdServer::url, EtcdCounters::counters, null)
            .against(new EtcdLibraries(), EtcdLibraries.JETCD)
            .shortTtl(SESSION);

    private static final List<StoreUnderTest> ALL =
            List.of(MEMORY, SQLITE, REDIS, REDLOCK, COUNTING_POSTGRES, MARIADB, ZOOKEEPER, ETCD);

    /** Stores and modes of which only {@link Fairness} is asked: how clients wait differs from the others. */
    private static final List<StoreUnderTest> OTHER_MODES = List.of(
            StoreUnderTest.server(
                    "postgres-advisory",
                    () -> PostgresServer.open(),
                    server -> PostgresCounters.url(server) + "&holdfast=advisory"),
            StoreUnderTest.server(
                    "postgres-rowlock",
                    () -> PostgresServer.open(),
                    server -> PostgresCounters.url(server) + "&holdfast=rowlock"),
            StoreUnderTest.server(
                    "mysql", () -> MySqlServer.open(Map.of()), server -> server.url() + "&holdfast.autoCreate=true"),
            StoreUnderTest.server(
                    "zookeeper-single",
                    () -> ZooKeeperServer.open(ZooKeeperOptions.defaults().tick(Duration.ofSeconds(2))),
                    server -> server.url() + "?mode=single"));

    private StoresUnderTest() {}

    public static List<StoreUnderTest> all() {
        return ALL;
    }

    /** Those of which only {@link Fairness} is asked. */
    public static List<StoreUnderTest> otherModes() {
        return OTHER_MODES;
    }

    /** The one of this name. */
    public static StoreUnderTest named(String name) {
        return ALL.stream()
                .filter(store -> store.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store " + name));
    }
}
