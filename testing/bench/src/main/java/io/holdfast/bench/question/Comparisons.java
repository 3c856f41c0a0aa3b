package io.holdfast.bench.question;

import io.holdfast.bench.library.EtcdLibraries;
import io.holdfast.bench.library.HoldfastLibrary;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.RedisLibraries;
import io.holdfast.bench.library.RedlockLibraries;
import io.holdfast.bench.library.SqlLibraries;
import io.holdfast.bench.library.ZooKeeperLibraries;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.store.StoresUnderTest;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All libraries for one store side by side: one name, many names, one hot name, its hand-off. */
public final class Comparisons {
    public static final int PROCESSES = 4;

    /** For how long the lock is held in a hand-off. */
    private static final List<Duration> HOLDS =
            List.of(Duration.ofMillis(5), Duration.ofMillis(50), Duration.ofMillis(200));

    private static final LockLibrary HOLDFAST = HoldfastLibrary.DEFAULT;

    private Comparisons() {}

    public static List<Workload> all() {
        List<Workload> all = new ArrayList<>();
        redis(all);
        redlock(all);
        sql(all);
        zooKeeper(all);
        etcd(all);
        return all;
    }

    private static void redis(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.REDIS;
        List<LockLibrary> withRaw = with(RedisLibraries.RAW, RedisLibraries.LOCKS);
        all.add(compare("redis", store, new OwnName(), withRaw));
        all.add(compare("redis", store, new OwnNames(), withRaw));
        all.add(compare("redis", store, new HotThreads(), RedisLibraries.LOCKS));
        all.add(compare("redis", store, new HotProcesses(PROCESSES), RedisLibraries.LOCKS));
        for (Duration hold : HOLDS) {
            all.add(compare("redis", store, new HandOff(hold), with(RedisLibraries.RAW_POP, RedisLibraries.LOCKS)));
        }
    }

    private static void redlock(List<Workload> all) {
        all.add(compare(
                "redlock",
                StoresUnderTest.REDLOCK,
                new QuorumPair(),
                List.of(RedlockLibraries.RAW, HOLDFAST, RedlockLibraries.REDISSON_MULTI)));
    }

    private static void sql(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.POSTGRES;
        all.add(compare("sql", store, new OwnName(), SqlLibraries.ALL));
        all.add(compare("sql", store, new OwnNames(), SqlLibraries.ALL));
        all.add(compare(
                "sql", store, new HotThreads(), List.of(SqlLibraries.SPRING, HOLDFAST, SqlLibraries.RAW_ADVISORY)));
        for (Duration hold : HOLDS) {
            Question question = new HandOff(hold);
            List<Contestant> floor = List.of(new CommittedUpdate(hold));
            all.add(new StoreWorkload(
                    "sql-" + question.id(), store, question, List.of(HOLDFAST, SqlLibraries.SPRING), floor));
        }
    }

    private static void zooKeeper(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.ZOOKEEPER;
        List<LockLibrary> withRaw = with(ZooKeeperLibraries.RAW, ZooKeeperLibraries.LOCKS);
        all.add(compare("zookeeper", store, new OwnName(), withRaw));
        all.add(compare("zookeeper", store, new OwnNames(), withRaw));
        all.add(compare("zookeeper", store, new HotThreads(), ZooKeeperLibraries.LOCKS));
        all.add(compare("zookeeper", store, new HotProcesses(PROCESSES), ZooKeeperLibraries.LOCKS));
        for (Duration hold : HOLDS) {
            all.add(compare("zookeeper", store, new HandOff(hold), ZooKeeperLibraries.LOCKS));
        }
    }

    private static void etcd(List<Workload> all) {
        StoreUnderTest store = StoresUnderTest.ETCD;
        List<LockLibrary> withRaw = with(EtcdLibraries.RAW, EtcdLibraries.LOCKS);
        all.add(compare("etcd", store, new OwnName(), withRaw));
        all.add(compare("etcd", store, new OwnNames(), withRaw));
        all.add(compare("etcd", store, new HotThreads(), EtcdLibraries.LOCKS));
        for (Duration hold : HOLDS) {
            all.add(compare("etcd", store, new HandOff(hold), EtcdLibraries.LOCKS));
        }
    }

    private static List<LockLibrary> with(LockLibrary first, List<LockLibrary> others) {
        List<LockLibrary> all = new ArrayList<>(others);
        all.add(0, first);
        return all;
    }

    private static StoreWorkload compare(
            String prefix, StoreUnderTest store, Question asked, List<LockLibrary> libraries) {
        return new StoreWorkload(prefix + "-" + asked.id(), store, asked, libraries, List.of());
    }
}
