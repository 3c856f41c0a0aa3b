package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockStatus;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisSentinel;
import io.holdfast.servers.RedisServer;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** Locks in a real cluster of three primaries, and behind real Sentinels that fail over. */
class RedisTopologyTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(60));

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
                replica.call("DEL", new KeySpace("").lock("gone")[0]);

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
