package io.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.tck.TestTime;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A connection and a subscription that are broken in several ways. */
class SupervisedConnectionTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final Duration IO = Duration.ofSeconds(1);
    private static final LuaScript ECHO = LuaScript.of("echo", "return ARGV[#ARGV] .. ' ' .. KEYS[1]");
    private static final LuaScript UNTAGGED = LuaScript.of("untagged", "return KEYS[1]");

    /** L13. */
    @Test
    void aListenerThatThrowsAnErrorKeepsNoConnectionFromBeingReplaced() throws Exception {
        AtomicInteger told = new AtomicInteger();
        SupervisedConnection.Listener throwing = new SupervisedConnection.Listener() {
            @Override
            public void down() {
                told.incrementAndGet();
                throw new NoSuchMethodError("of a listener");
            }

            @Override
            public void up() {
                told.incrementAndGet();
                throw new NoSuchMethodError("of a listener");
            }
        };
        try (RedisServer server = RedisServer.open();
                Connector connector = connector(server.port());
                SupervisedConnection supervised = supervised(connector, throwing)) {
            supervised.open();
            for (int breaks = 1; breaks <= 3; breaks++) {
                server.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
                int before = 2 * breaks - 1;
                await().atMost(PATIENCE).until(() -> told.get() >= before && supervised.connected());
                assertThat(answer(supervised, ECHO)).isEqualTo("key");
            }
        }
    }

    /** U29. */
    @Test
    void anAnswerWithoutTheTagOfItsRequestIsUnknownAndEndsTheConnection() throws Exception {
        Semaphore ups = new Semaphore(0);
        try (RedisServer server = RedisServer.open();
                Connector connector = connector(server.port());
                SupervisedConnection supervised = supervised(connector, counting(ups))) {
            supervised.open();
            RedisConnection before = supervised.current();
            CompletableFuture<String> call =
                    supervised.eval(UNTAGGED, new String[] {"key"}, new String[] {"x"}, IO.toNanos());

            assertThat(call)
                    .failsWithin(PATIENCE)
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .havingCause()
                    .isInstanceOfSatisfying(
                            io.holdfast.StoreUnavailableException.class,
                            unknown -> assertThat(unknown.outcomeUnknown()).isTrue());
            assertThat(ups.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(supervised.current()).isNotNull().isNotSameAs(before);
            assertThat(answer(supervised, ECHO)).isEqualTo("key");
        }
    }

    /** B7: nothing arrives any more, and nothing says so. */
    @Test
    void aHalfOpenSubscriptionIsReplacedWhenItIsAskedAfter() throws Exception {
        Semaphore ready = new Semaphore(0);
        try (RedisServer server = RedisServer.open();
                TcpProxy proxy = TcpProxy.to(server);
                Connector connector = connector(proxy.port());
                Subscription subscription = new Subscription(connector, "channel", text -> {}, ready::release)) {
            subscription.start();
            assertThat(ready.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            subscription.verify();
            await().atMost(PATIENCE).until(() -> server.calls("subscribe") == 2);
            assertThat(proxy.accepted()).as("one that answers is kept").isEqualTo(1);

            proxy.replies().drop();
            // The answer to the first question may still be on its way to the subscription.
            await().atMost(PATIENCE).until(() -> {
                subscription.verify();
                return proxy.accepted() > 1;
            });
            proxy.restore();

            assertThat(ready.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    private static String answer(SupervisedConnection supervised, LuaScript script) throws Exception {
        return supervised
                .eval(script, new String[] {"key"}, new String[] {"x"}, IO.toNanos())
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static SupervisedConnection.Listener counting(Semaphore ups) {
        return new SupervisedConnection.Listener() {
            @Override
            public void down() {}

            @Override
            public void up() {
                ups.release();
            }
        };
    }

    private static Connector connector(int port) {
        RedisURI uri = RedisURI.create("127.0.0.1", port);
        return ClientConnector.open(uri, IO, SslOptions.builder().build());
    }

    private static SupervisedConnection supervised(Connector connector, SupervisedConnection.Listener listener) {
        return new SupervisedConnection(
                connector, "redis://test", IO, fresh -> CompletableFuture.completedFuture(null), listener);
    }
}
