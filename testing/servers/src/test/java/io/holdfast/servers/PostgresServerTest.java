package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeftBehind.class)
@Timeout(120)
class PostgresServerTest {
    @Test
    void aStartedServerAnswersFlushesAndListensOnTheLoopbackAddressOnly() throws Exception {
        try (PostgresServer postgres = PostgresServer.open()) {
            assertThat(one(postgres, "show fsync")).isEqualTo("on");
            assertThat(one(postgres, "show synchronous_commit")).isEqualTo("on");
            assertThat(one(postgres, "show listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(one(postgres, "select version()")).startsWith("PostgreSQL 18");
        }
    }

    @Test
    void dataSurvivesAKillAndARestartButNotADataLoss() throws Exception {
        try (PostgresServer postgres = PostgresServer.open()) {
            int port = postgres.port();
            postgres.execute("create table t as select 42 as x");
            postgres.kill();
            assertThatThrownBy(() -> one(postgres, "select 1")).isInstanceOf(SQLException.class);
            postgres.start();
            assertThat(one(postgres, "select x from t")).isEqualTo("42");
            postgres.restart();
            assertThat(one(postgres, "select x from t")).isEqualTo("42");
            postgres.restartWithDataLoss();
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(one(postgres, "select to_regclass('t')")).isNull();
        }
    }

    @Test
    void aPausedServerDoesNotAnswerAndThenDoes() throws Exception {
        try (PostgresServer postgres =
                        PostgresServer.open(PostgresOptions.defaults().withoutFsync());
                Connection connection = postgres.connect()) {
            connection.setNetworkTimeout(
                    Runnable::run,
                    Math.toIntExact(TimeScale.of(Duration.ofMillis(300)).toMillis()));
            postgres.pause();
            try (Statement statement = connection.createStatement()) {
                assertThatThrownBy(() -> statement.execute("select 1")).isInstanceOf(SQLException.class);
            }
            postgres.resume();
            assertThat(one(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void aStandbyFollowsStaysBehindACutLinkAndIsPromotedWithoutWhatItMissed() throws Exception {
        try (PostgresServer primary =
                PostgresServer.open(PostgresOptions.defaults().withoutFsync())) {
            primary.execute("create table t(x int)");
            try (TcpProxy link = TcpProxy.to(primary);
                    PostgresServer standby = PostgresServer.standbyOf(primary, link.port())) {
                standby.awaitStreaming();
                primary.execute("insert into t values (1)");
                await().atMost(TimeScale.of(Duration.ofSeconds(10)))
                        .until(() -> "1".equals(one(standby, "select max(x) from t")));
                link.cut();
                primary.execute("insert into t values (2)");
                primary.kill();
                standby.promote();
                assertThat(one(standby, "select max(x) from t")).isEqualTo("1");
                standby.execute("insert into t values (3)");
            }
        }
    }

    @Test
    void closeEndsTheProcessAndRemovesTheFolderAndTheSegment() throws Exception {
        PostgresServer postgres = PostgresServer.open(PostgresOptions.defaults().withoutFsync());
        Path folder = postgres.data().getParent();
        String segment = Files.readAllLines(postgres.data().resolve("postmaster.pid"))
                .get(6)
                .strip()
                .split(" +")[1];
        assertThat(segments()).contains(segment);
        postgres.close();
        assertThat(Files.exists(folder)).isFalse();
        assertThat(segments()).doesNotContain(segment);
    }

    @Test
    void anUnknownSettingIsExplainedByTheServersOwnLog() {
        assertThatThrownBy(() -> PostgresServer.open(PostgresOptions.defaults().option("no_such_setting", "1")))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("no_such_setting");
    }

    private static java.util.List<String> segments() throws Exception {
        return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
                .skip(1)
                .map(line -> line.strip().split(" +")[1])
                .toList();
    }

    private static String one(PostgresServer server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
