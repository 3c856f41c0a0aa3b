package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Everybody who locks in a store, side by side: one name, many names, one hot name, its hand-off. The bars are the figures
 * that the project set itself for the store.
 */
final class Comparisons {
    static final int PROCESSES = 4;

    private static final Entrant HOLDFAST = HoldfastEntrant.DEFAULT;

    /**
     * How long after a waiter began to wait the lock is given up. Redis and PostgreSQL answer in less than a millisecond,
     * ZooKeeper after its flush; etcd looks every 100 ms for watches that are behind, and one that begins in the past is.
     */
    private static final Duration SETTLE = Duration.ofMillis(5);

    private static final Duration ZOOKEEPER_SETTLE = Duration.ofMillis(15);
    private static final Duration ETCD_SETTLE = Duration.ofMillis(120);

    private Comparisons() {}

    static List<Workload> all() {
        List<Workload> all = new ArrayList<>();
        redis(all);
        redlock(all);
        sql(all);
        zooKeeper(all);
        etcd(all);
        return all;
    }

    private static void redis(List<Workload> all) {
        List<Entrant> withRaw = with(RedisEntrants.RAW, RedisEntrants.LOCKS);
        StoreUnderTest store = StoresUnderTest.REDIS;
        all.add(compare(
                "redis",
                store,
                new OwnName(),
                withRaw,
                atLeast(HOLDFAST, RepeatedWork.RATE, 0.85),
                atMostValue(HOLDFAST, OwnName.perPair(LoadOfRedis.COMMANDS), 8)));
        all.add(compare("redis", store, new OwnNames(), withRaw, atLeast(HOLDFAST, Contention.RATE, 0.7)));
        all.add(compare(
                "redis",
                store,
                new HotThreads(),
                with(RedisEntrants.REDISSON, RedisEntrants.LOCKS),
                atLeast(HOLDFAST, Contention.RATE, 30),
                atMostValue(HOLDFAST, Contention.UNFAIRNESS, 1.5)));
        all.add(compare(
                "redis",
                store,
                new HotProcesses(PROCESSES),
                with(RedisEntrants.REDISSON, RedisEntrants.LOCKS),
                atLeast(HOLDFAST, Contention.RATE, 40),
                atMostValue(HOLDFAST, HotProcesses.UNFAIRNESS, 2)));
        all.add(compare(
                "redis",
                store,
                new HandOff(SETTLE),
                with(RedisEntrants.RAW_POP, RedisEntrants.LOCKS),
                atMost(HOLDFAST, HandOff.P50, 1.3)));
    }

    private static void redlock(List<Workload> all) {
        all.add(compare(
                "redlock",
                StoresUnderTest.REDLOCK,
                new QuorumPair(),
                List.of(RedlockEntrants.RAW, HOLDFAST, RedlockEntrants.REDISSON_MULTI),
                atMost(HOLDFAST, QuorumPair.ACQUIRE, 1.3)));
    }

    private static void sql(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.POSTGRES;
        all.add(compare(
                "sql",
                store,
                new OwnName(),
                SqlEntrants.ALL,
                atLeast(HOLDFAST, RepeatedWork.RATE, 1.6),
                atLeast(HOLDFAST, RepeatedWork.RATE, 2.2).against(SqlEntrants.SPRING.title()),
                atLeast(SqlEntrants.HOLDFAST_ADVISORY, RepeatedWork.RATE, 2.5)));
        all.add(compare("sql", store, new OwnNames(), SqlEntrants.ALL, atLeast(HOLDFAST, Contention.RATE, 1.5)));
        all.add(compare(
                "sql",
                store,
                new HotThreads(),
                List.of(SqlEntrants.SPRING, HOLDFAST, SqlEntrants.RAW_ADVISORY),
                atLeast(HOLDFAST, Contention.RATE, 30)));
        CommittedUpdate paused = CommittedUpdate.afterPause(SETTLE);
        all.add(new StoreWorkload(
                "sql-hand-off",
                store,
                new HandOff(SETTLE),
                List.of(HOLDFAST, SqlEntrants.SPRING),
                List.of(CommittedUpdate.IN_A_LOOP, paused),
                CommittedUpdate.IN_A_LOOP.name(),
                List.of(
                        atMost(HOLDFAST, HandOff.P50, 3),
                        atMost(HOLDFAST, HandOff.P50, 3).against(paused.name()))));
    }

    private static void zooKeeper(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.ZOOKEEPER;
        List<Entrant> withRaw = with(ZooKeeperEntrants.RAW, ZooKeeperEntrants.LOCKS);
        String shared = ZooKeeperEntrants.CURATOR_SHARED.title();
        all.add(compare(
                "zookeeper",
                store,
                new OwnName(),
                withRaw,
                atLeast(HOLDFAST, RepeatedWork.RATE, 0.9),
                atMostValue(HOLDFAST, OwnName.perPair(StoresUnderTest.PACKETS), 7)));
        all.add(compare("zookeeper", store, new OwnNames(), withRaw, atLeast(HOLDFAST, Contention.RATE, 0.8)));
        all.add(compare(
                "zookeeper",
                store,
                new HotThreads(),
                ZooKeeperEntrants.LOCKS,
                atLeast(HOLDFAST, Contention.RATE, 30),
                atLeast(HOLDFAST, Contention.RATE, 30).against(shared),
                atMostValue(HOLDFAST, Contention.UNFAIRNESS, 1.5)));
        all.add(compare(
                "zookeeper",
                store,
                new HotProcesses(PROCESSES),
                ZooKeeperEntrants.LOCKS,
                atLeast(HOLDFAST, Contention.RATE, 20),
                atLeast(HOLDFAST, Contention.RATE, 20).against(shared),
                atMostValue(HOLDFAST, HotProcesses.UNFAIRNESS, 2)));
        all.add(compare(
                "zookeeper",
                store,
                new HandOff(ZOOKEEPER_SETTLE),
                ZooKeeperEntrants.LOCKS,
                atMost(HOLDFAST, HandOff.P50, 0.8)));
    }

    private static void etcd(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.ETCD;
        List<Entrant> withRaw = with(EtcdEntrants.RAW, EtcdEntrants.LOCKS);
        all.add(compare(
                "etcd",
                store,
                new OwnName(),
                withRaw,
                atLeast(HOLDFAST, RepeatedWork.RATE, 0.9),
                atLeast(HOLDFAST, RepeatedWork.RATE, 1.8).against(EtcdEntrants.JETCD_LEASE.title())));
        all.add(compare("etcd", store, new OwnNames(), withRaw, atLeast(HOLDFAST, Contention.RATE, 0.9)));
        all.add(compare("etcd", store, new HotThreads(), EtcdEntrants.LOCKS, atLeast(HOLDFAST, Contention.RATE, 30)));
        all.add(compare(
                "etcd", store, new HandOff(ETCD_SETTLE), EtcdEntrants.LOCKS, atMost(HOLDFAST, HandOff.P50, 0.8)));
    }

    /** This one first, whether or not it is among the others. */
    private static List<Entrant> with(Entrant first, List<Entrant> others) {
        List<Entrant> all = new ArrayList<>(others);
        all.remove(first);
        all.add(0, first);
        return all;
    }

    private static Bar atLeast(Entrant entrant, String metric, double limit) {
        return Bar.ratio(entrant.title(), metric, Bar.Relation.AT_LEAST, limit);
    }

    private static Bar atMost(Entrant entrant, String metric, double limit) {
        return Bar.ratio(entrant.title(), metric, Bar.Relation.AT_MOST, limit);
    }

    private static Bar atMostValue(Entrant entrant, String metric, double limit) {
        return Bar.value(entrant.title(), metric, Bar.Relation.AT_MOST, limit);
    }

    /** The baseline is whoever stands first. */
    private static StoreWorkload compare(
            String prefix, StoreUnderTest store, Question asked, List<Entrant> entrants, Bar... bars) {
        return new StoreWorkload(
                prefix + "-" + asked.id(),
                store,
                asked,
                entrants,
                List.of(),
                entrants.get(0).title(),
                List.of(bars));
    }
}
