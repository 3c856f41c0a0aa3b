package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeftBehind.class)
@Timeout(120)
class RedisServerTest {
    @Test
    void aStartedServerAnswersOnItsPort() {
        try (RedisServer redis = RedisServer.open()) {
            assertThat(redis.call("SET", "k", "ü v")).isEqualTo("OK");
            assertThat(redis.call("GET", "k")).isEqualTo("ü v");
            assertThat(redis.call("GET", "absent")).isNull();
            assertThat(redis.call("INCR", "n")).isEqualTo(1L);
            assertThat(redis.call("MGET", "k", "absent"))
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .containsExactly("ü v", null);
            assertThat(redis.url()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThatThrownBy(() -> redis.call("NOSUCH")).hasMessageContaining("unknown command");
        }
    }

    @Test
    void itListensOnTheLoopbackAddressOnly() {
        try (RedisServer redis = RedisServer.open()) {
            assertThat(redis.call("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
        }
    }

    @Test
    void acknowledgedDataSurvivesAKillWhenItIsAppendOnly() {
        try (RedisServer redis = RedisServer.open(RedisOptions.defaults().appendOnly())) {
            int port = redis.port();
            long pid = redis.pid();
            redis.call("SET", "k", "v");
            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            assertThatThrownBy(() -> redis.call("PING")).isInstanceOf(UncheckedIOException.class);

            redis.start();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.pid()).isNotEqualTo(pid);
            assertThat(redis.call("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    void anOrderlyRestartKeepsAppendOnlyData() {
        try (RedisServer redis = RedisServer.open(RedisOptions.defaults().appendOnly())) {
            redis.call("SET", "k", "v");
            redis.restart();
            assertThat(redis.call("GET", "k")).isEqualTo("v");
            assertThat(redis.logTail()).contains("SIGTERM");
        }
    }

    @Test
    void dataIsGoneAfterARestartWithDataLoss() {
        try (RedisServer redis = RedisServer.open(RedisOptions.defaults().appendOnly())) {
            int port = redis.port();
            redis.call("SET", "k", "v");
            redis.restartWithDataLoss();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.call("GET", "k")).isNull();
        }
    }

    @Test
    void aServerThatKeepsNothingOnDiskForgetsAtEveryRestart() {
        try (RedisServer redis = RedisServer.open()) {
            redis.call("SET", "k", "v");
            redis.restart();
            assertThat(redis.call("GET", "k")).isNull();
        }
    }

    @Test
    void aPausedServerDoesNotAnswerAndThenDoes() throws Exception {
        try (RedisServer redis = RedisServer.open();
                RespConnection connection = redis.connect()) {
            connection.call("SET", "k", "v");
            connection.timeout(TimeScale.of(Duration.ofMillis(300)));
            redis.pause();
            assertThat(redis.isRunning()).isTrue();
            connection.send("INCR", "n");
            assertThatThrownBy(connection::read).isInstanceOf(SocketTimeoutException.class);
            redis.resume();
            assertThat(redis.call("GET", "k")).isEqualTo("v");
            assertThat(redis.call("GET", "n")).as("the request of the pause").isEqualTo("1");
        }
    }

    @Test
    void aPausedServerCanBeKilledStoppedAndClosed() {
        try (RedisServer redis = RedisServer.open()) {
            redis.pause();
            redis.kill();
            redis.start();
            redis.pause();
            redis.stop();
            assertThat(redis.isRunning()).isFalse();
            redis.start();
            redis.pause();
        }
    }

    @Test
    void closeEndsTheProcessAndRemovesTheFolder() {
        RedisServer redis = RedisServer.open();
        ProcessHandle process = ProcessHandle.of(redis.pid()).orElseThrow();
        Path folder = redis.data().getParent();
        assertThat(folder).isDirectory();
        redis.close();
        redis.close();
        assertThat(process.isAlive()).isFalse();
        assertThat(Files.exists(folder)).isFalse();
        assertThatThrownBy(redis::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aReplicaFollowsItsPrimaryAndStaysBehindWhenTheLinkIsCut() throws Exception {
        try (RedisServer primary = RedisServer.open();
                TcpProxy link = TcpProxy.to(primary);
                RedisServer replica = RedisServer.open(RedisOptions.defaults().replicaOf(link.port()))) {
            replica.awaitReplicating();
            try (RespConnection connection = primary.connect()) {
                connection.call("SET", "k", "1");
                assertThat(connection.call("WAIT", "1", "5000")).isEqualTo(1L);
                link.cut();
                connection.call("SET", "k", "2");
                assertThat(connection.call("WAIT", "1", "100")).isEqualTo(0L);
                assertThat(replica.call("GET", "k")).isEqualTo("1");
                link.restore();
                await().atMost(TimeScale.of(Duration.ofSeconds(10))).until(() -> "2".equals(replica.call("GET", "k")));
            }
        }
    }

    @Test
    void commandStatisticsAreCounted() {
        try (RedisServer redis = RedisServer.open()) {
            redis.resetStats();
            assertThat(redis.calls("SET")).isZero();
            redis.call("SET", "a", "1");
            redis.call("EVAL", "redis.call('SET', KEYS[1], '2')", "1", "b");
            assertThat(redis.calls("set")).isEqualTo(2);
            assertThat(redis.info("server")).containsEntry("process_id", Long.toString(redis.pid()));
        }
    }

    @Test
    void anUnknownSettingIsExplainedByTheServersOwnLog() {
        assertThatThrownBy(() -> RedisServer.open(RedisOptions.defaults().option("no-such-setting", "1")))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("ended with status 1")
                .hasMessageContaining("--no-such-setting 1")
                .hasMessageContaining("Bad directive");
    }

    @Test
    void manyServersStartSideBySide() {
        List<RedisServer> servers = IntStream.range(0, 6)
                .parallel()
                .mapToObj(i -> RedisServer.open())
                .toList();
        try {
            assertThat(servers.stream().map(RedisServer::port).distinct()).hasSize(6);
            assertThat(servers)
                    .allSatisfy(server -> assertThat(server.call("PING")).isEqualTo("PONG"));
        } finally {
            servers.forEach(RedisServer::close);
        }
    }
}
