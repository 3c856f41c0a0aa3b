package io.holdfast.sql;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.jdbc.FenceTable;
import io.holdfast.guard.jdbc.JdbcGuard;
import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.TcpProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lock's database fails over to a standby that missed the last grant. The data is in another database. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PromotedStandbyTest {
    private static final String SCHEMA = "promoted_standby";

    private final JdbcGuard guard = JdbcGuard.of("stock:42", "stock");

    @Test
    void theLockIsGrantedTwiceAndTheGuardRefusesTheOlderHolder() throws Exception {
        try (Connection data = data();
                Statement statement = data.createStatement()) {
            statement.execute("CREATE SCHEMA " + SCHEMA);
            statement.execute(FenceTable.standard().ddl(Servers.postgres().url()));
            statement.execute("CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL)");
            statement.execute("INSERT INTO stock VALUES (42, 5)");
        }
        try (PostgresServer primary =
                PostgresServer.open(PostgresOptions.defaults().withoutFsync())) {
            try (Holdfast first = Holdfast.open(primary.url() + "&holdfast.autoCreate=true");
                    Lease lease = acquire(first)) {
                assertThat(lease.token()).isPositive(); // the tables exist, and the name has its row
            }
            try (TcpProxy link = TcpProxy.to(primary);
                    PostgresServer standby = PostgresServer.standbyOf(primary, link.port())) {
                standby.awaitStreaming();
                link.cut();
                try (Holdfast a = Holdfast.open(primary.url());
                        Lease old = acquire(a)) {
                    long readByOld = sell(old.sequencer(), 0);
                    standby.promote();
                    try (Holdfast b = Holdfast.open(standby.url());
                            Lease young = acquire(b)) {
                        assertThat(old.state()).as("granted twice").isEqualTo(LeaseState.HELD);
                        assertThat(young.token()).isGreaterThan(old.token());

                        long readByYoung = sell(young.sequencer(), 0);
                        assertThatThrownBy(() -> sell(old.sequencer(), readByOld))
                                .isInstanceOf(StaleTokenException.class);
                        sell(young.sequencer(), readByYoung);
                    }
                }
            }
        }
        try (Connection data = data()) {
            assertThat(pieces(data)).isEqualTo(4);
        }
        assertThat(guard.refusals()).isEqualTo(1);
    }

    private static Lease acquire(Holdfast holdfast) throws InterruptedException {
        return holdfast.mutex("stock").acquire(waitUpTo(Duration.ofSeconds(30)).ttl(Duration.ofMinutes(2)));
    }

    /** One guarded transaction: reads, and writes one less than {@code read} if that is not 0. */
    private long sell(Sequencer sequencer, long read) throws SQLException {
        try (Connection connection = data();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            guard.admit(connection, sequencer);
            long pieces = pieces(connection);
            if (read > 0) {
                statement.execute("UPDATE stock SET pieces = " + (read - 1) + " WHERE id = 42");
            }
            connection.commit();
            return pieces;
        }
    }

    private static long pieces(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pieces FROM stock WHERE id = 42")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static Connection data() throws SQLException {
        Connection connection = Servers.postgres().connect();
        connection.setSchema(SCHEMA);
        return connection;
    }
}
