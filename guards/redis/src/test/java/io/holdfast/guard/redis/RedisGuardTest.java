package io.holdfast.guard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Marks;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards and compare-and-set on data in a real Redis. */
class RedisGuardTest {
    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<String, String> redis;

    private RedisGuard guard;

    @BeforeAll
    static void start() {
        server = RedisServer.open();
        client = RedisClient.create(server.url());
        redis = client.connect().sync();
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        server.close();
    }

    @BeforeEach
    void empty() {
        redis.flushall();
        guard = RedisGuard.of(redis, "stock:42", "job");
    }

    @Test
    void aStaleTokenIsRefusedByEveryVerbAndWritesNothing() {
        guard.admit(exclusive(11));
        List<Runnable> verbs = List.of(
                () -> guard.admit(exclusive(10)),
                () -> guard.set(exclusive(10), "stock:42", "stale"),
                () -> guard.hset(exclusive(10), "stock:42", "f", "stale"),
                () -> guard.incrBy(exclusive(10), "stock:42", 1),
                () -> guard.del(exclusive(10), "kept"),
                () -> guard.eval(
                        exclusive(10), "return redis.call('SET', KEYS[1], 'stale')", List.of("stock:42"), List.of()));
        redis.set("kept", "yes");

        for (Runnable verb : verbs) {
            assertThatThrownBy(verb::run).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                assertThat(stale.seen()).isEqualTo(11);
                assertThat(stale.offered()).isEqualTo(10);
            });
        }

        assertThat(redis.get("stock:42")).isNull();
        assertThat(redis.get("kept")).isEqualTo("yes");
        assertThat(guard.refusals()).isEqualTo(verbs.size());
        assertThat(guard.marks()).isEqualTo(new Marks(11, 11));
    }

    @Test
    void everyVerbWritesAndMarksInOneCall() {
        guard.set(exclusive(10), "stock:42", "5");
        assertThat(redis.get("stock:42")).isEqualTo("5");
        assertThat(guard.incrBy(exclusive(11), "stock:42", 9007199254740993L)).isEqualTo(9007199254740998L);
        assertThat(guard.hset(exclusive(12), "h", "f", "v")).isTrue();
        assertThat(guard.hset(exclusive(12), "h", "f", "w")).isFalse();
        assertThat(guard.del(exclusive(13), "stock:42", "h", "none")).isEqualTo(2);
        assertThat(guard.marks()).isEqualTo(new Marks(13, 13));
    }

    @Test
    void anOwnScriptSeesItsOwnKeysAndArgumentsAndReturnsAnything() {
        Object sum = guard.eval(
                exclusive(10),
                "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('INCRBY', KEYS[1], ARGV[2])",
                List.of("stock:42"),
                List.of("40", "2"));
        assertThat(sum).isEqualTo(42L);
        assertThat(guard.eval(exclusive(10), "return nil", List.of(), List.of()))
                .isNull();
        assertThat(guard.eval(exclusive(10), "return {#KEYS, #ARGV}", List.of("a"), List.of("b", "c")))
                .isEqualTo(List.of(1L, 2L));
    }

    @Test
    void tokensBeyond53BitsAreToldApart() {
        long large = (1L << 62) + 1;
        guard.admit(exclusive(large));
        assertThatThrownBy(() -> guard.admit(exclusive(large - 1))).isInstanceOf(StaleTokenException.class);
        assertThat(guard.marks().any()).isEqualTo(large);
    }

    @Test
    void readersAndWritersFollowTheRuleOfTheTwoMarks() {
        guard.admit(new Sequencer("job", Mode.SHARED, 20));
        guard.admit(new Sequencer("job", Mode.SHARED, 18));
        assertThatThrownBy(() -> guard.admit(exclusive(19))).isInstanceOf(StaleTokenException.class);
        guard.admit(exclusive(21));
        assertThatThrownBy(() -> guard.admit(new Sequencer("job", Mode.SHARED, 21)))
                .isInstanceOf(StaleTokenException.class);
        assertThat(guard.marks()).isEqualTo(new Marks(21, 21));
    }

    @Test
    void marksOutliveTheDataAndTheScriptCache() {
        guard.set(exclusive(10), "stock:42", "5");
        redis.del("stock:42");
        redis.scriptFlush();
        assertThatThrownBy(() -> guard.set(exclusive(9), "stock:42", "4")).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void sequencersOfAnotherLockOfPermitsOrWithoutSignatureAreErrors() {
        guard.admit(exclusive(10));
        byte[] key = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        RedisGuard signed = guard.signedWith(key);

        assertThatThrownBy(() -> guard.admit(new Sequencer("other", Mode.EXCLUSIVE, 99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'job'");
        assertThatThrownBy(() ->
                        RedisGuard.of(redis, "stock:42", "other").admit(new Sequencer("other", Mode.EXCLUSIVE, 99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'job'");
        assertThatThrownBy(() -> guard.admit(new Sequencer("job", Mode.PERMIT, 99)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> signed.admit(exclusive(99))).isInstanceOf(IllegalArgumentException.class);
        signed.admit(exclusive(99).signedWith(key));
        assertThat(guard.marks()).isEqualTo(new Marks(99, 99));
    }

    @Test
    void namespacesKeepTheirMarksApart() {
        guard.admit(exclusive(10));
        guard.inNamespace("b").admit(exclusive(9));
        assertThat(guard.inNamespace("b").marks()).isEqualTo(new Marks(9, 9));
        assertThat(redis.keys("*")).containsExactlyInAnyOrder("hf:{stock:42}:m:stock:42", "b:hf:{stock:42}:m:stock:42");
    }

    @Test
    void compareAndSetReplacesOnlyWhatWasExpected() {
        RedisOptimistic optimistic = RedisOptimistic.over(redis);
        assertThat(optimistic.compareAndSet("k", Optional.of("a"), Optional.of("b")))
                .isFalse();
        assertThat(optimistic.compareAndSet("k", Optional.empty(), Optional.of("a")))
                .isTrue();
        assertThat(optimistic.compareAndSet("k", Optional.empty(), Optional.of("b")))
                .isFalse();
        redis.expire("k", 100);
        assertThat(optimistic.compareAndSet("k", Optional.of("a"), Optional.of("b")))
                .isTrue();
        assertThat(redis.ttl("k")).isPositive();
        assertThat(optimistic.get("k")).contains("b");
        assertThat(optimistic.compareAndSet("k", Optional.of("b"), Optional.empty()))
                .isTrue();
        assertThat(optimistic.get("k")).isEmpty();
    }

    @Test
    void updateLosesNoUpdateAndGivesUpAfterItsTries() {
        RedisOptimistic optimistic = RedisOptimistic.over(redis);
        for (int i = 0; i < 20; i++) {
            boolean[] disturbed = {false};
            optimistic.update(
                    "n",
                    seen -> {
                        if (!disturbed[0]) {
                            disturbed[0] = true;
                            redis.incr("n");
                        }
                        return Optional.of(Long.toString(Long.parseLong(seen.orElse("0")) + 1));
                    },
                    2);
        }
        assertThat(redis.get("n")).isEqualTo("40");
        assertThatThrownBy(() -> optimistic.update("n", seen -> Optional.of(String.valueOf(redis.incr("n") + 100)), 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("3 attempts");
    }

    private static Sequencer exclusive(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }
}
