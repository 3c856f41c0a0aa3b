package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.redis.RedisGuard;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.tck.TestTime;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The wall clock of a real server is stepped while a lock is held and waited for. */
@Tag("slow")
@SuppressWarnings("NullAway.Init") // JUnit starts the server before each test
class RedisClockTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final Duration HOUR = Duration.ofHours(1);

    private RedisServer server;
    private Holdfast a;
    private Holdfast b;

    @BeforeEach
    void start() {
        server = RedisServer.open(RedisOptions.defaults().ownClock());
        a = Holdfast.open(server.url());
        b = Holdfast.open(server.url());
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
        server.close();
    }

    /** Expiry is by the server's wall clock: a jump forward opens the lock. Fencing protects, and the holder is told. */
    @Test
    void aJumpForwardMakesTwoHoldersAndTheOlderOnesGuardedWriteIsRefused() throws Exception {
        Lease first = a.mutex("job").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(30)));
        AtomicReference<Loss> loss = new AtomicReference<>();
        first.onLost(loss::set);
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("a waiter").until(() -> a.list("job", 1).get(0).waiting() == 1);

        server.stepClock(HOUR);

        Lease second = waiting.get();
        assertThat(second.token()).isGreaterThan(first.token());
        RedisClient data = RedisClient.create(server.url());
        try {
            RedisGuard guard = RedisGuard.of(data.connect().sync(), "stock", "job");
            guard.admit(second.sequencer());
            assertThatThrownBy(() -> guard.set(first.sequencer(), "stock", "of the older"))
                    .isInstanceOf(StaleTokenException.class);
        } finally {
            data.shutdown();
        }
        await("the older holder is told").until(() -> loss.get() != null);
        assertThat(Objects.requireNonNull(loss.get()).reason()).isEqualTo(LossReason.GONE);
        second.close();
        assertThat(server.call("KEYS", "*:l:*")).isEqualTo(java.util.List.of());
    }

    /** Promise 2: within a primary that keeps its data tokens increase whatever its clock does. */
    @Test
    void aJumpBackOpensNothingStopsNobodyAndTokensStillIncrease() throws Exception {
        Lease first = a.mutex("job").acquire(waitUpTo(PATIENCE).ttl(Duration.ofSeconds(3)));
        CompletableFuture<Lease> waiting = b.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        await("a waiter").until(() -> a.list("job", 1).get(0).waiting() == 1);

        server.stepClock(HOUR.negated());

        long start = System.nanoTime();
        await("two TTLs")
                .until(() -> System.nanoTime() - start > Duration.ofSeconds(6).toNanos());
        assertThat(first.state()).isEqualTo(LeaseState.HELD);
        assertThat(waiting).isNotDone();
        first.close();
        Lease second = waiting.get();
        assertThat(second.token()).isGreaterThan(first.token());
        second.close();
        Lease third = a.mutex("job").acquire(waitUpTo(PATIENCE));
        assertThat(third.token()).isGreaterThan(second.token());
        third.close();
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
