package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("slow")
@ExtendWith(NothingLeftBehind.class)
@Timeout(120)
class GreetingServerTest {
    @Test
    void mariaDbKeepsItsDataOverAKillAndARestartButNotADataLoss() throws Exception {
        keepsItsData(MariaDbServer.open(), "11.4");
    }

    @Test
    void mySqlKeepsItsDataOverAKillAndARestartButNotADataLoss() throws Exception {
        keepsItsData(MySqlServer.open(Map.of()), "8.0.31");
    }

    private static void keepsItsData(GreetingServer opened, String version) throws Exception {
        Path folder = opened.data().getParent();
        try (GreetingServer server = opened) {
            assertThat(one(server, "select @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
            assertThat(one(server, "select version()")).startsWith(version);
            server.execute("create table t as select 42 as x");
            server.kill();
            assertThatThrownBy(() -> one(server, "select 1")).isInstanceOf(SQLException.class);
            server.start();
            assertThat(one(server, "select x from t")).isEqualTo("42");
            server.restart();
            assertThat(one(server, "select x from t")).isEqualTo("42");
            server.restartWithDataLoss();
            assertThatThrownBy(() -> one(server, "select x from t")).isInstanceOf(SQLException.class);
        }
        assertThat(Files.exists(folder)).isFalse();
    }

    private static String one(GreetingServer server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
