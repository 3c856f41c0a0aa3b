package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeftBehind.class)
@Timeout(120)
class MariaDbServerTest {
    @Test
    void dataSurvivesAKillAndARestartButNotADataLoss() throws Exception {
        MariaDbServer mariaDb = MariaDbServer.open();
        Path folder = mariaDb.data().getParent();
        try (mariaDb) {
            assertThat(one(mariaDb, "select @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
            assertThat(one(mariaDb, "select version()")).startsWith("11.4");
            mariaDb.execute("create table t as select 42 as x");
            mariaDb.kill();
            assertThatThrownBy(() -> one(mariaDb, "select 1")).isInstanceOf(SQLException.class);
            mariaDb.start();
            assertThat(one(mariaDb, "select x from t")).isEqualTo("42");
            mariaDb.restart();
            assertThat(one(mariaDb, "select x from t")).isEqualTo("42");
            mariaDb.restartWithDataLoss();
            assertThatThrownBy(() -> one(mariaDb, "select x from t")).isInstanceOf(SQLException.class);
        }
        assertThat(Files.exists(folder)).isFalse();
    }

    private static String one(MariaDbServer server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
