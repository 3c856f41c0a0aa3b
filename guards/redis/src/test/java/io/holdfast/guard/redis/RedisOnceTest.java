package io.holdfast.guard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Marks;
import io.holdfast.guard.redis.mark.ResourceMarks;
import io.holdfast.servers.RedisServer;
import io.holdfast.tck.TestTime;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guarded writes and compare-and-set over a connection as applications have it: Lettuce reconnects and sends again what
 * was not answered.
 */
class RedisOnceTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));

    private RedisServer server;
    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private RedisCommands<String, String> redis;
    private long skips;

    @BeforeEach
    void start() {
        server = RedisServer.open();
        client = RedisClient.create(server.url());
        connection = client.connect();
        redis = connection.sync();
    }

    @AfterEach
    void stop() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        server.close();
    }

    @Test
    void aGuardedWriteWhoseAnswerWasLostIsMadeOnce() throws Exception {
        RedisGuard guard = RedisGuard.of(redis, "stock", "job");
        guard.incrBy(token(10), "stock", 10);

        long left = answerLost(() -> guard.incrBy(token(10), "stock", -1), "stock", "9");

        assertThat(left).isEqualTo(9);
        assertThat(server.call("GET", "stock")).isEqualTo("9");
        assertThat(guard.incrBy(token(10), "stock", -1)).as("another write").isEqualTo(8);
    }

    @Test
    void anOwnScriptWhoseAnswerWasLostRunsOnceAndIsAnsweredAsBefore() throws Exception {
        RedisGuard guard = RedisGuard.of(redis, "stock", "job");
        String script = "redis.call('INCR', KEYS[1]) return {redis.call('GET', KEYS[1]), ARGV[1], 7}";
        guard.eval(token(10), script, List.of("stock"), List.of("x"));

        Object answer = answerLost(() -> guard.eval(token(10), script, List.of("stock"), List.of("y")), "stock", "2");

        assertThat(answer).isEqualTo(List.of("2", "y", 7L));
        assertThat(server.call("GET", "stock")).isEqualTo("2");
    }

    @Test
    void anAnswerThatIsTooLongToKeepIsAnErrorThatSaysThatTheWriteTookPlace() throws Exception {
        RedisGuard guard = RedisGuard.of(redis, "stock", "job");
        String script = "redis.call('INCR', KEYS[1]) return string.rep('x', 1000)";
        guard.eval(token(10), script, List.of("stock"), List.of());

        assertThatThrownBy(() ->
                        answerLost(() -> guard.eval(token(10), script, List.of("stock"), List.of()), "stock", "2"))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("took place once");
        assertThat(server.call("GET", "stock")).isEqualTo("2");
    }

    @Test
    void compareAndSetWhoseAnswerWasLostSaysWhatItDid() throws Exception {
        RedisOptimistic optimistic = RedisOptimistic.over(redis);
        assertThat(optimistic.compareAndSet("k", Optional.empty(), Optional.of("0")))
                .isTrue();

        assertThat(answerLost(() -> optimistic.compareAndSet("k", Optional.of("0"), Optional.of("1")), "k", "1"))
                .isTrue();
    }

    @Test
    void anUpdateWhoseAnswerWasLostIsMadeOnce() throws Exception {
        RedisOptimistic optimistic = RedisOptimistic.over(redis);
        optimistic.compareAndSet("k", Optional.empty(), Optional.of("0"));

        Optional<String> written = repeated(
                () -> optimistic.update(
                        "k",
                        seen -> {
                            // The read was answered; what follows is the write.
                            skipNextAnswer();
                            return Optional.of(Long.toString(Long.parseLong(seen.orElse("0")) + 1));
                        },
                        3),
                "k",
                "1");

        assertThat(written).contains("1");
        assertThat(server.call("GET", "k")).isEqualTo("1");
    }

    @Test
    void onlyTheLast64WritesAreRemembered() {
        RedisGuard guard = RedisGuard.of(redis, "stock", "job");
        for (int i = 0; i < 200; i++) {
            guard.incrBy(token(10), "stock", 1);
        }
        long length =
                (Long) java.util.Objects.requireNonNull(server.call("STRLEN", new ResourceMarks("").done("stock")));
        assertThat(length).isBetween(64L * 17, 64L * 40);
        assertThat(server.call("GET", "stock")).isEqualTo("200");
    }

    @Test
    void aCommandThatFailedLeavesNoMark() {
        RedisGuard guard = RedisGuard.of(redis, "list", "job");
        redis.rpush("list", "a");
        guard.admit(token(10));

        assertThatThrownBy(() -> guard.incrBy(token(11), "list", 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(guard.marks()).isEqualTo(new Marks(10, 10));

        assertThatThrownBy(() -> guard.eval(
                        token(12),
                        "redis.call('SET', KEYS[1], 'half') return redis.call('INCR', KEYS[2])",
                        List.of("half", "list"),
                        List.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(guard.marks()).as("a script may have written half of it").isEqualTo(new Marks(12, 12));
    }

    /** U30. */
    @ParameterizedTest
    @ValueSource(strings = {"", "hf", "hf:prod", "a:hf:b", "app"})
    void aSignedGuardHasTheMarksOfTheUnsignedOne(String namespace) {
        byte[] key = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
        RedisGuard guard = RedisGuard.of(redis, "stock", "job").inNamespace(namespace);
        guard.admit(token(200));

        assertThatThrownBy(() -> guard.signedWith(key).admit(token(100).signedWith(key)))
                .isInstanceOf(StaleTokenException.class);
        assertThat(guard.signedWith(key).inNamespace(namespace).marks()).isEqualTo(new Marks(200, 200));
        assertThat(redis.keys("*")).containsExactly(new ResourceMarks(namespace).mark("stock"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stock", "stock:{42}", "a}b", "}", "{}x", "a{b", "a{}b}", "x}{y}z", "ü}"})
    void marksAreInTheSlotOfTheirResource(String resource) {
        for (String namespace : List.of("", "app")) {
            ResourceMarks keys = new ResourceMarks(namespace);
            assertThat(SlotHash.getSlot(keys.mark(resource))).isEqualTo(SlotHash.getSlot(resource));
            assertThat(SlotHash.getSlot(keys.done(resource))).isEqualTo(SlotHash.getSlot(resource));
            assertThat(keys.mark(resource)).endsWith(":m:" + resource);
        }
    }

    private <T> T answerLost(Callable<T> call, String key, String after) throws Exception {
        skipNextAnswer();
        return repeated(call, key, after);
    }

    /** Calls, hangs up when the server has done it, and lets the driver reconnect and repeat. */
    private <T> T repeated(Callable<T> call, String key, String after) throws Exception {
        long before = server.calls("evalsha");
        CompletableFuture<T> under = CompletableFuture.supplyAsync(() -> {
            try {
                return call.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(PATIENCE).until(() -> after.equals(server.call("GET", key)));
        server.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        T answer = under.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(server.calls("evalsha") - before)
                .as("the driver repeated it")
                .isGreaterThanOrEqualTo(2);
        return answer;
    }

    /** The server executes the next command and does not answer it. */
    private void skipNextAnswer() {
        StringCodec codec = StringCodec.UTF8;
        AsyncCommand<String, String, String> skip = new AsyncCommand<>(new Command<>(
                CommandType.CLIENT,
                new StatusOutput<>(codec),
                new CommandArgs<>(codec).add("REPLY").add("SKIP")));
        connection.dispatch(skip);
        // It has no answer either, and must not be repeated.
        await().atMost(PATIENCE).until(() -> server.calls("client|reply") > skips);
        skips++;
        skip.cancel(true);
    }

    private static Sequencer token(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }
}
