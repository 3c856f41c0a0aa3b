package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Every store of which the {@link Question}s are asked: a line each. */
final class StoresUnderTest {
    private static final String HOLDFAST = HoldfastEntrant.DEFAULT.title();
    private static final String THROUGH_STORE = HoldfastEntrant.WITHOUT_PASSES.title();

    private static final String PACKETS = "packets";

    /** What both consensus stores keep, whatever their own shortest session is. */
    private static final Duration SESSION = Duration.ofSeconds(6);

    private static final List<StoreUnderTest> ALL = List.of(
            StoreUnderTest.inProcess("memory", "memory:bench"),
            StoreUnderTest.file("sqlite", file -> "sqlite:" + file),
            StoreUnderTest.servers(
                            "redis",
                            RedisServer::open,
                            List::of,
                            RedisServer::url,
                            LoadOfRedis::counters,
                            LoadOfRedis::memory)
                    .against(RedissonEntrant.LOCK, RedissonEntrant.FAIR)
                    .bars(Map.of(
                            WaitersLoad.ID,
                            List.of(
                                    Bar.value(
                                            HOLDFAST, WaitersLoad.waiting(LoadOfRedis.CALLS), Bar.Relation.AT_MOST, 1),
                                    Bar.value(
                                            THROUGH_STORE,
                                            WaitersLoad.perPass(LoadOfRedis.CALLS),
                                            Bar.Relation.AT_MOST,
                                            4)),
                            Renewals.ID,
                            List.of(Bar.value(
                                    HOLDFAST, Renewals.perSecond(LoadOfRedis.CALLS), Bar.Relation.AT_MOST, 10)))),
            StoreUnderTest.servers(
                            "postgres",
                            LoadOfPostgres::open,
                            List::of,
                            LoadOfPostgres::url,
                            LoadOfPostgres::counters,
                            null)
                    .bars(Map.of(
                            WaitersLoad.ID,
                            List.of(Bar.value(
                                    HOLDFAST, WaitersLoad.waiting(LoadOfPostgres.STATEMENTS), Bar.Relation.AT_MOST, 1)),
                            Renewals.ID,
                            List.of(Bar.value(
                                    HOLDFAST,
                                    Renewals.perSecond(LoadOfPostgres.STATEMENTS),
                                    Bar.Relation.AT_MOST,
                                    2)))),
            StoreUnderTest.servers(
                            "zk",
                            ZooKeeperServer::open,
                            List::of,
                            ZooKeeperServer::url,
                            server -> Map.of(PACKETS, (double) server.packets()),
                            null)
                    .shortTtl(SESSION),
            StoreUnderTest.server("etcd", () -> EtcdServer.open(), EtcdServer::url)
                    .shortTtl(SESSION));

    private StoresUnderTest() {}

    static List<StoreUnderTest> all() {
        return ALL;
    }

    /** The one of this name. */
    static StoreUnderTest named(String name) {
        return ALL.stream()
                .filter(store -> store.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store " + name));
    }
}
