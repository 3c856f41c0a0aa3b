package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
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

/** Every store of which the {@link Question}s are asked: a line each. */
final class StoresUnderTest {
    private static final String HOLDFAST = HoldfastEntrant.DEFAULT.title();
    private static final String THROUGH_STORE = HoldfastEntrant.WITHOUT_PASSES.title();

    static final String PACKETS = "packets";

    /** What both consensus stores keep, whatever their own shortest session is. */
    private static final Duration SESSION = Duration.ofSeconds(6);

    static final int NODES = 5;

    private static final StoreUnderTest MEMORY = StoreUnderTest.inProcess("memory", "memory:bench");

    private static final StoreUnderTest SQLITE = StoreUnderTest.file("sqlite", file -> "sqlite:" + file);

    static final StoreUnderTest REDIS = StoreUnderTest.servers(
                    "redis", RedisServer::open, List::of, RedisServer::url, LoadOfRedis::counters, LoadOfRedis::memory)
            .against(new RedisEntrants(), RedisEntrants.REDISSON, RedisEntrants.REDISSON_FAIR)
            .bars(Map.of(
                    WaitersLoad.ID,
                    List.of(
                            atMost(HOLDFAST, WaitersLoad.waiting(LoadOfRedis.CALLS), 1),
                            atMost(THROUGH_STORE, WaitersLoad.perPass(LoadOfRedis.CALLS), 4)),
                    Renewals.ID,
                    List.of(atMost(HOLDFAST, Renewals.perSecond(LoadOfRedis.CALLS), 10))));

    /** Nobody can have forgotten a vote on servers that have just been started, so nobody waits for their quarantine. */
    static final StoreUnderTest REDLOCK = StoreUnderTest.servers(
                    "redlock",
                    RedisNodes::open,
                    RedisNodes::servers,
                    nodes -> "redlock://" + nodes.addresses() + "?quarantine=off",
                    nodes -> LoadOfRedis.sum(nodes.servers()),
                    nodes -> nodes.servers().stream()
                            .mapToDouble(LoadOfRedis::memory)
                            .sum())
            .against(new RedlockEntrants(), RedlockEntrants.REDISSON_MULTI);

    /** As many connections as threads, for everybody; nothing is counted, which would cost. */
    static final StoreUnderTest POSTGRES = StoreUnderTest.server(
                    "postgres",
                    () -> PostgresServer.open(),
                    server -> LoadOfPostgres.url(server) + "&holdfast.poolSize=" + SqlEntrants.CONNECTIONS)
            .against(new SqlEntrants(), SqlEntrants.SPRING);

    private static final StoreUnderTest COUNTING_POSTGRES = StoreUnderTest.servers(
                    "postgres", LoadOfPostgres::open, List::of, LoadOfPostgres::url, LoadOfPostgres::counters, null)
            .against(new SqlEntrants(), SqlEntrants.SPRING)
            .bars(Map.of(
                    WaitersLoad.ID,
                    List.of(atMost(HOLDFAST, WaitersLoad.waiting(LoadOfPostgres.STATEMENTS), 1)),
                    Renewals.ID,
                    List.of(atMost(HOLDFAST, Renewals.perSecond(LoadOfPostgres.STATEMENTS), 2))));

    private static final StoreUnderTest MARIADB = StoreUnderTest.server(
                    "mariadb", MariaDbServer::open, server -> server.url() + "&holdfast.autoCreate=true")
            .against(new SqlEntrants(), SqlEntrants.SPRING);

    /** It flushes every change to its disk. */
    static final StoreUnderTest ZOOKEEPER = StoreUnderTest.servers(
                    "zookeeper",
                    () -> ZooKeeperServer.open(ZooKeeperOptions.defaults().tick(Duration.ofSeconds(2))),
                    List::of,
                    ZooKeeperServer::url,
                    server -> Map.of(PACKETS, (double) server.packets()),
                    null)
            .against(new ZooKeeperEntrants(), ZooKeeperEntrants.CURATOR)
            .shortTtl(SESSION)
            .bars(Map.of(
                    WaitersLoad.ID,
                    List.of(
                            // Heartbeats of two clients, and the question how many packets there were.
                            atMost(HOLDFAST, WaitersLoad.waiting(PACKETS), 3),
                            atMost(HOLDFAST, WaitersLoad.perPass(PACKETS), 4))));

    static final StoreUnderTest ETCD = StoreUnderTest.servers(
                    "etcd", () -> EtcdServer.open(), List::of, EtcdServer::url, LoadOfEtcd::counters, null)
            .against(new EtcdEntrants(), EtcdEntrants.JETCD)
            .shortTtl(SESSION);

    private static final List<StoreUnderTest> ALL =
            List.of(MEMORY, SQLITE, REDIS, REDLOCK, COUNTING_POSTGRES, MARIADB, ZOOKEEPER, ETCD);

    /** Stores and modes of which only {@link Fairness} is asked: how clients wait differs from the others. */
    private static final List<StoreUnderTest> OTHER_MODES = List.of(
            StoreUnderTest.server(
                    "postgres-advisory",
                    () -> PostgresServer.open(),
                    server -> LoadOfPostgres.url(server) + "&holdfast=advisory"),
            StoreUnderTest.server(
                    "postgres-rowlock",
                    () -> PostgresServer.open(),
                    server -> LoadOfPostgres.url(server) + "&holdfast=rowlock"),
            StoreUnderTest.server(
                    "mysql", () -> MySqlServer.open(Map.of()), server -> server.url() + "&holdfast.autoCreate=true"),
            StoreUnderTest.server(
                    "zookeeper-single",
                    () -> ZooKeeperServer.open(ZooKeeperOptions.defaults().tick(Duration.ofSeconds(2))),
                    server -> server.url() + "?mode=single"));

    private static Bar atMost(String contestant, String metric, double limit) {
        return Bar.value(contestant, metric, Bar.Relation.AT_MOST, limit);
    }

    private StoresUnderTest() {}

    static List<StoreUnderTest> all() {
        return ALL;
    }

    /** Those of which only {@link Fairness} is asked. */
    static List<StoreUnderTest> otherModes() {
        return OTHER_MODES;
    }

    /** The one of this name. */
    static StoreUnderTest named(String name) {
        return ALL.stream()
                .filter(store -> store.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store " + name));
    }
}
