package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockStatus;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.claim.LockKeys;
import io.holdfast.redis.wire.ClusterConnector;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisSentinel;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.TestTime;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.cluster.RedisClusterClient;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks in a real cluster of three primaries, and behind real Sentinels that fail over. */
@Tag("slow")
class RedisTopologyTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(60));
    private static final String JOB = new LockKeys("").lock("job")[0];

    @Test
    void aClusterGrantsQueuesHandsOverRenewsAndListsOnAllItsNodes() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3);
                Holdfast a = Holdfast.open("redis-cluster://" + cluster.addresses());
                Holdfast b = Holdfast.open("redis://" + cluster.addresses() + "?cluster=true")) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                held.add(a.mutex("job-" + i).acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(2))));
                waiting.add(b.mutex("job-" + i).acquireAsync(waitUpTo(PATIENCE)));
            }
            for (RedisServer node : cluster.nodes()) {
                assertThat(lockKeys(node)).as("locks on %s", node).isNotEmpty();
            }
            assertThat(a.list("job-", 100)).hasSize(20).allMatch(LockStatus::held);
            AtomicReference<Loss> loss = new AtomicReference<>();
            held.forEach(lease -> lease.onLost(loss::set));
            long start = System.nanoTime();
            await("two TTLs")
                    .until(() ->
                            System.nanoTime() - start > Duration.ofSeconds(4).toNanos());
            assertThat(loss.get()).isNull();
            assertThat(waiting).noneMatch(CompletableFuture::isDone);

            held.forEach(Lease::close);

            for (int i = 0; i < 20; i++) {
                Lease next = waiting.get(i).get();
                assertThat(next.token()).isGreaterThan(held.get(i).token());
                next.close();
            }
            await("nothing left").until(() -> a.list("", 10).isEmpty());
            for (RedisServer node : cluster.nodes()) {
                assertThat(lockKeys(node)).isEmpty();
            }
        }
    }

    /** U25: while a slot moves, calls about its keys are answered with TRYAGAIN, and are repeated until it has moved. */
    @Test
    void aSlotThatMovesDelaysItsLocksAndLosesNone() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3);
                Holdfast client = Holdfast.open("redis-cluster://" + cluster.addresses())) {
            Lease before = client.mutex("moved").acquire(waitUpTo(PATIENCE));
            before.close();
            String fence = new LockKeys("").lock("moved")[1];
            String slot = String.valueOf(cluster.nodes().get(0).call("CLUSTER", "KEYSLOT", fence));
            int owner = Integer.parseInt(slot) * 3 / 16384;
            RedisServer from = cluster.nodes().get(owner);
            RedisServer to = cluster.nodes().get((owner + 1) % 3);
            String target = String.valueOf(to.call("CLUSTER", "MYID"));
            to.call("CLUSTER", "SETSLOT", slot, "IMPORTING", String.valueOf(from.call("CLUSTER", "MYID")));
            from.call("CLUSTER", "SETSLOT", slot, "MIGRATING", target);

            CompletableFuture<Lease> asked = client.mutex("moved").acquireAsync(waitUpTo(PATIENCE));
            await("answers with TRYAGAIN").until(() -> {
                String count = from.info("errorstats").getOrDefault("errorstat_TRYAGAIN", "count=0");
                return Integer.parseInt(count.substring("count=".length())) >= 5;
            });
            assertThat(asked).isNotDone();
            from.call("MIGRATE", "127.0.0.1", Integer.toString(to.port()), fence, "0", "5000");
            to.call("CLUSTER", "SETSLOT", slot, "NODE", target);
            from.call("CLUSTER", "SETSLOT", slot, "NODE", target);

            Lease after = asked.get();
            assertThat(after.token()).isGreaterThan(before.token());
            assertThat(lockKeys(to)).hasSize(1);
            after.close();
            assertThat(lockKeys(to)).isEmpty();
        }
    }

    @Test
    void aClusterClientThatIsOpenAlreadyIsUsedAndStaysOpen() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3)) {
            RedisClusterClient lettuce = RedisClusterClient.create(
                    "redis://127.0.0.1:" + cluster.nodes().get(0).port());
            try {
                try (Holdfast a = Holdfast.builder()
                                .store(RedisLockStore.over(lettuce, "app"))
                                .open();
                        Holdfast b = Holdfast.builder()
                                .store(RedisLockStore.over(lettuce, "app"))
                                .open()) {
                    Lease first = a.mutex("job").acquire(waitUpTo(PATIENCE));
                    CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
                    await("a waiter").until(() -> a.list("job", 1).get(0).waiting() == 1);
                    first.close();
                    Lease second = waiting.get();
                    assertThat(second.token()).isGreaterThan(first.token());
                    second.close();
                }
                assertThat(lettuce.connect().sync().keys("*")).isNotEmpty().allMatch(key -> key.startsWith("app:hf:{"));
            } finally {
                lettuce.shutdown();
            }
        }
    }

    /** The topology refresh opens and closes a connection to every node; so may the application. */
    @Test
    void connectionsThatAreClosedOnPurposeDoNotPutALeaseIntoJeopardy() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3)) {
            RedisClusterClient lettuce = RedisClusterClient.create(
                    "redis://127.0.0.1:" + cluster.nodes().get(0).port());
            AtomicInteger jeopardies = new AtomicInteger();
            AtomicInteger closed = new AtomicInteger();
            AtomicInteger broken = new AtomicInteger();
            try (Holdfast client =
                    Holdfast.builder().store(RedisLockStore.over(lettuce, "")).open()) {
                Lease lease = client.mutex("job").acquire(waitUpTo(PATIENCE).ttl(Duration.ofMinutes(5)));
                lease.onJeopardy(left -> jeopardies.incrementAndGet());
                // Told after the store's own listener, which was there first.
                lettuce.addListener(new RedisConnectionStateListener() {
                    @Override
                    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                        (connection.isClosed() ? closed : broken).incrementAndGet();
                    }
                });

                lettuce.refreshPartitions();
                lettuce.connect().close();

                await("connections were closed").until(() -> closed.get() >= 3);
                assertThat(broken).hasValue(0);
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                assertThat(jeopardies).hasValue(0);

                for (RedisServer node : cluster.nodes()) {
                    node.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
                }
                await("a connection that broke is another matter").until(() -> jeopardies.get() > 0);
                await("held again").until(() -> lease.state() == LeaseState.HELD);
                lease.close();
            } finally {
                lettuce.shutdown();
            }
        }
    }

    @Test
    void aClosedStoreIsNotKeptByTheClientThatItUsed() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3)) {
            RedisClusterClient lettuce = RedisClusterClient.create(
                    "redis://127.0.0.1:" + cluster.nodes().get(0).port());
            try {
                WeakReference<LockStore> store = usedAndClosed(lettuce);
                await("collected").until(() -> {
                    System.gc();
                    return store.get() == null;
                });
            } finally {
                lettuce.shutdown();
            }
        }
    }

    private static WeakReference<LockStore> usedAndClosed(RedisClusterClient lettuce) throws InterruptedException {
        LockStore store = RedisLockStore.over(lettuce, "");
        try (Holdfast client = Holdfast.builder().store(store).open()) {
            client.mutex("job").acquire(waitUpTo(PATIENCE)).close();
        }
        return new WeakReference<>(store);
    }

    @Test
    void aNodeOfTheClusterThatEvictsIsRefused() {
        try (RedisCluster cluster = RedisCluster.open(3)) {
            cluster.nodes().get(2).call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
            assertThatThrownBy(() -> Holdfast.open("redis-cluster://" + cluster.addresses()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("allkeys-lru")
                    .hasMessageContaining("port " + cluster.nodes().get(2).port());
        }
    }

    /** What was under way when a connection to a node broke is not sent again: its outcome is unknown and stays so. */
    @Test
    void aCallThatWasUnderWayWhenItsNodeHungUpIsNotRepeated() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3);
                MachineTime time = new MachineTime();
                LockStore store = new RedisStoreProvider()
                        .open(
                                StoreUrl.parse("redis-cluster://" + cluster.addresses() + "?ioTimeout=5s&wait=pull"),
                                new StoreProvider.Settings("", Duration.ofSeconds(30)))) {
            assertThat(underWayWhenItsNodeHangsUp(cluster, store, time))
                    .failsWithin(PATIENCE)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(StoreUnavailableException.class);
            await("connected again")
                    .until(() -> store.inspect(LockQuery.name("job"))
                                    .toCompletableFuture()
                                    .get()
                            != null);
            assertThat(owner(cluster).call("EXISTS", JOB)).isEqualTo(0L);
        }
    }

    /** That the test above can fail: a client with Lettuce's own settings sends the same call again, and it is granted. */
    @Test
    void aClientThatReplaysRepeatsTheSameCall() throws Exception {
        try (RedisCluster cluster = RedisCluster.open(3);
                MachineTime time = new MachineTime()) {
            RedisClusterClient lettuce =
                    RedisClusterClient.create("redis://" + cluster.addresses().split(",")[0]);
            RedisConfig usual = RedisConfig.DEFAULTS;
            RedisConfig patient = new RedisConfig(
                    "", Duration.ofSeconds(5), true, usual.pauseMin(), usual.pauseRandom(), 0, usual.acceptEviction());
            try (LockStore store = RedisLockStore.opened(ClusterConnector.over(lettuce), patient, "redis-cluster:")) {
                assertThat(underWayWhenItsNodeHangsUp(cluster, store, time))
                        .succeedsWithin(PATIENCE)
                        .isInstanceOf(Granted.class);
                assertThat(owner(cluster).call("EXISTS", JOB)).isEqualTo(1L);
            } finally {
                lettuce.shutdown();
            }
        }
    }

    private static CompletableFuture<AcquireResult> underWayWhenItsNodeHangsUp(
            RedisCluster cluster, LockStore store, MachineTime time) {
        store.attach(new StoreContext(
                time.ticker(),
                time.scheduler(),
                Runnable::run,
                () -> ThreadLocalRandom.current().nextLong(),
                new Deaf()));
        ContractClient client = new ContractClient(store);
        await("connections to all nodes").until(() -> {
            Claim first = Ask.exclusive("job").claim();
            client.granted(first);
            client.released(first);
            return true;
        });
        RedisServer owner = owner(cluster);
        owner.call("CLIENT", "PAUSE", "60000", "WRITE");
        CompletableFuture<AcquireResult> underWay =
                store.tryAcquire(Ask.exclusive("job").claim()).toCompletableFuture();
        await("it waits at the node")
                .until(() -> !"0".equals(owner.info("clients").get("blocked_clients")));
        owner.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        owner.call("CLIENT", "UNPAUSE");
        return underWay;
    }

    private static RedisServer owner(RedisCluster cluster) {
        String slot = String.valueOf(cluster.nodes().get(0).call("CLUSTER", "KEYSLOT", JOB));
        return cluster.nodes().get(Integer.parseInt(slot) * 3 / 16384);
    }

    @Test
    void replicasAreRefusedInAClusterWithTheReason() {
        try (RedisCluster cluster = RedisCluster.open(3)) {
            assertThatThrownBy(() -> Holdfast.open("redis-cluster://" + cluster.addresses() + "?replicas=1"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("min-replicas-to-write");
        }
    }

    @Test
    void sentinelPromotesAReplicaAndTheHolderKeepsItsLeaseOrIsTold() throws Exception {
        try (RedisServer primary = RedisServer.open();
                RedisServer replica = RedisServer.open(RedisOptions.defaults().replicaOf(primary));
                RedisSentinel one = RedisSentinel.open("locks", primary, 1, Duration.ofMillis(500))) {
            replica.awaitReplicating();
            one.awaitKnows(1, 0);
            String url = "redis-sentinel://127.0.0.1:" + one.port() + "?master=locks&replicas=1";
            try (Holdfast a = Holdfast.open(url);
                    Holdfast b = Holdfast.open(url.replace("&replicas=1", ""))) {
                Lease kept = a.mutex("kept").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(60)));
                Lease gone = b.mutex("gone").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(60)));
                AtomicReference<Loss> loss = new AtomicReference<>();
                gone.onLost(loss::set);
                await("replicated").until(() -> lockKeys(replica).size() == 2);
                // As if the replica had never received this one.
                replica.call("CONFIG", "SET", "replica-read-only", "no");
                replica.call("DEL", new LockKeys("").lock("gone")[0]);

                primary.kill();

                await("promotion").until(() -> one.primaryPort() == replica.port());
                await("the lost lease is told").until(() -> loss.get() != null);
                assertThat(Objects.requireNonNull(loss.get()).reason()).isEqualTo(LossReason.GONE);
                Lease next = b.mutex("other").acquire(waitUpTo(PATIENCE));
                assertThat(next.token()).isPositive();
                next.close();
                assertThat(kept.state()).isIn(LeaseState.HELD, LeaseState.JEOPARDY);
                assertThat(b.mutex("kept").tryAcquire())
                        .as("a grant that was replicated still excludes")
                        .isEmpty();
                gone.close();
                Lease again = b.mutex("gone").acquire(waitUpTo(PATIENCE));
                assertThat(again.token()).isGreaterThan(gone.token());
                again.close();
            }
        }
    }

    /** Hears nothing. */
    private static final class Deaf implements StoreSignals {
        @Override
        public void lost(HolderId holder, LossReason reason) {}

        @Override
        public void disconnected() {}

        @Override
        public void connected() {}
    }

    private static List<String> lockKeys(RedisServer node) {
        return ((List<?>) Objects.requireNonNull(node.call("KEYS", "*:l:*")))
                .stream().map(String::valueOf).toList();
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions();
    }
}
