package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every verb, before a real Redis. */
@Timeout(120)
class TcpProxyTest {
    private static final Duration SHORT = TimeScale.of(Duration.ofMillis(300));
    private static final Duration LONG = TimeScale.of(Duration.ofSeconds(10));

    private static final RedisServer redis = RedisServer.open();
    private final TcpProxy proxy = TcpProxy.to(redis);

    @BeforeAll
    static void serverAnswers() {
        assertThat(redis.call("PING")).isEqualTo("PONG");
    }

    @AfterAll
    static void endServer() {
        redis.close();
    }

    @BeforeEach
    void emptyServer() {
        redis.call("FLUSHALL");
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    @Test
    void bytesPassAndAreCounted() throws Exception {
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call("SET", "k", "v")).isEqualTo("OK");
            assertThat(proxy.requests().bytes()).isEqualTo("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n".length());
            assertThat(proxy.replies().bytes()).isEqualTo("+OK\r\n".length());
            assertThat(proxy.connections()).isEqualTo(1);
        }
        eventually().until(() -> proxy.connections() == 0);
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void largeValuesPassUnharmed() throws Exception {
        String large = "0123456789abcdef".repeat(1 << 20);
        try (RespConnection client = connect(LONG)) {
            client.call("SET", "k", large);
            assertThat(client.call("GET", "k")).isEqualTo(large);
        }
    }

    @Test
    void aLostReplyMeansThatTheWriteHappened() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            client.timeout(SHORT);
            proxy.replies().drop();
            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            eventually().until(() -> proxy.replies().dropped() == "+OK\r\n".length());
            assertThat(redis.call("GET", "k")).isEqualTo("v");
            assertThat(proxy.requests().dropped()).isZero();
        }
    }

    @Test
    void aLostRequestMeansThatTheWriteDidNotHappen() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            client.timeout(SHORT);
            proxy.requests().drop();
            assertThatThrownBy(() -> client.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            assertThat(proxy.requests().dropped()).isPositive();
            assertThat(proxy.replies().dropped()).isZero();
            assertThat(redis.call("GET", "k")).isNull();
        }
    }

    @Test
    void aConnectionThatLostBytesIsResetAtRestoreAndOthersGoOn() throws Exception {
        try (RespConnection gap = connect(LONG);
                RespConnection whole = connect(LONG)) {
            gap.call("PING");
            whole.call("PING");
            gap.timeout(SHORT);
            proxy.replies().drop();
            assertThatThrownBy(() -> gap.call("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            eventually().until(() -> proxy.replies().dropped() > 0);
            proxy.replies().restore();
            assertThatThrownBy(() -> gap.call("PING"))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
            assertThat(whole.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aCutHoldsEverythingAndRestoreDeliversIt() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            client.timeout(SHORT);
            proxy.cut();
            client.send("SET", "k", "v");
            assertThatThrownBy(client::read).isInstanceOf(SocketTimeoutException.class);
            assertThat(redis.call("GET", "k")).isNull();
            proxy.restore();
            eventually().until(() -> "v".equals(redis.call("GET", "k")));
        }
    }

    @Test
    void aCutOfRepliesLetsRequestsPassAndTheReplyArrivesLater() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.replies().cut();
            client.send("SET", "k", "v");
            eventually().until(() -> "v".equals(redis.call("GET", "k")));
            proxy.replies().restore();
            assertThat(client.read()).isEqualTo("OK");
        }
    }

    @Test
    void theServerDoesNotLearnOfAClientThatLeavesDuringACut() throws Exception {
        long before = connectedClients();
        RespConnection client = connect(LONG);
        client.call("PING");
        proxy.cut();
        client.close();
        assertThat(connectedClients()).isEqualTo(before + 1);
        proxy.restore();
        eventually().until(() -> connectedClients() == before);
    }

    @Test
    void eachDirectionIsDelayedByItself() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.requests().delay(Duration.ofMillis(200));
            assertThat(millis(() -> client.call("PING"))).isGreaterThanOrEqualTo(200);
            proxy.replies().delay(Duration.ofMillis(300));
            assertThat(millis(() -> client.call("PING"))).isGreaterThanOrEqualTo(500);
            proxy.restore();
            eventually().until(() -> millis(() -> client.call("PING")) < 200);
        }
    }

    @Test
    void delayedRequestsAreUnderWaySideBySide() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.requests().delay(Duration.ofMillis(400));
            long took = millis(() -> {
                for (int i = 0; i < 10; i++) {
                    client.send("INCR", "n");
                }
                for (int i = 1; i <= 10; i++) {
                    assertThat(client.read()).isEqualTo((long) i);
                }
            });
            assertThat(took).as("one delay, not ten").isBetween(400L, 3999L);
        }
    }

    @Test
    void aShareOfTheMessagesIsDelayedAndTheOthersAreNot() throws Exception {
        Duration by = Duration.ofMillis(20);
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.requests().delaySome(by, 0.1, 42);
            long took = millis(() -> {
                for (int i = 0; i < 100; i++) {
                    assertThat(client.call("PING")).isEqualTo("PONG");
                }
            });
            long delayed = proxy.requests().delayed();
            assertThat(delayed).isBetween(1L, 40L);
            assertThat(took).isGreaterThanOrEqualTo(delayed * by.toMillis());
            assertThat(proxy.replies().delayed()).isZero();

            proxy.replies().delaySome(by, 0, 42);
            client.call("PING");
            assertThat(proxy.replies().delayed()).as("a share of nothing").isZero();
            proxy.replies().delaySome(by, 1, 42);
            client.call("PING");
            assertThat(proxy.replies().delayed()).as("all").isEqualTo(1);
            proxy.restore();
            client.call("PING");
            assertThat(proxy.replies().delayed()).as("restored").isEqualTo(1);
        }
        assertThatThrownBy(() -> proxy.replies().delaySome(by, 1.5, 42)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> proxy.replies().delaySome(by, Double.NaN, 42))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void dropAlsoSwallowsWhatIsStillUnderWay() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.requests().delay(Duration.ofMillis(200));
            client.send("SET", "k", "v");
            proxy.requests().drop();
            eventually().until(() -> proxy.requests().dropped() > 0);
            assertThat(redis.call("GET", "k")).isNull();
        }
    }

    @Test
    void closedConnectionsAreResetAndNewOnesAreWelcome() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.closeConnections();
            assertThat(proxy.connections()).isZero();
            assertThatThrownBy(() -> client.call("PING"))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void refusedConnectionsAreRefusedAndOpenOnesStay() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.refuseConnections();
            assertThatThrownBy(() -> connect(LONG)).isInstanceOf(ConnectException.class);
            assertThat(client.call("PING")).isEqualTo("PONG");
            proxy.acceptConnections();
            proxy.acceptConnections();
        }
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void connectionsOfOneProcessAreResetAndThoseOfOthersStay() throws Exception {
        long self = ProcessHandle.current().pid();
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.resetFrom(port -> SocketOwner.has(redis.pid(), port));
            assertThat(client.call("PING")).isEqualTo("PONG");

            proxy.resetFrom(port -> SocketOwner.has(self, port));

            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> {
                        try (RespConnection next = connect(LONG)) {
                            next.call("PING");
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        proxy.resetFrom(port -> false);
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aServerThatDoesNotListenResetsTheClient() throws Exception {
        try (TcpProxy nowhere = TcpProxy.to(LoopbackPorts.free())) {
            assertThatThrownBy(() -> {
                        try (RespConnection client = RespConnection.to(nowhere.port(), LONG)) {
                            client.call("PING");
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
            eventually().until(() -> nowhere.connections() == 0);
        }
    }

    @Test
    void theProxyOutlivesARestartOfTheServer() throws Exception {
        try (RedisServer own = RedisServer.open();
                TcpProxy before = TcpProxy.to(own)) {
            try (RespConnection client = RespConnection.to(before.port(), LONG)) {
                client.call("PING");
                own.kill();
                assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
            }
            own.start();
            try (RespConnection client = RespConnection.to(before.port(), LONG)) {
                assertThat(client.call("PING")).isEqualTo("PONG");
            }
        }
    }

    @Test
    void aClosedProxyRefusesVerbsAndConnections() {
        proxy.close();
        proxy.close();
        assertThatThrownBy(proxy::cut).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThatThrownBy(() -> connect(LONG)).isInstanceOf(ConnectException.class);
    }

    private RespConnection connect(Duration timeout) throws IOException {
        return RespConnection.to(proxy.port(), timeout);
    }

    private static long connectedClients() {
        return Long.parseLong(redis.info("clients").getOrDefault("connected_clients", "-1"));
    }

    private static ConditionFactory eventually() {
        return await().atMost(LONG);
    }

    private interface Action {
        void run() throws IOException;
    }

    private static long millis(Action action) throws IOException {
        long start = System.nanoTime();
        action.run();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
}
