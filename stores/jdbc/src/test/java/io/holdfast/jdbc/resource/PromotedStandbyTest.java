package io.holdfast.jdbc.resource;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.resource.TestDatabase.Schema;
import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lock's database fails over to a standby that missed the last grant. The data is in another database. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PromotedStandbyTest {
    private final JdbcGuard guard = JdbcGuard.of("stock:42", "stock");

    @TempDir
    Path folder = Path.of("");

    @Test
    void theLockIsGrantedTwiceAndTheGuardRefusesTheOlderHolder() throws Exception {
        Schema data = TestDatabase.POSTGRESQL.fresh(folder);
        data.execute(
                FenceTable.standard().ddl(data.url),
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL)",
                "INSERT INTO stock VALUES (42, 5)");
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
                    long readByOld = sell(data, old.sequencer(), 0);
                    standby.promote();
                    try (Holdfast b = Holdfast.open(standby.url());
                            Lease young = acquire(b)) {
                        assertThat(old.state()).as("granted twice").isEqualTo(LeaseState.HELD);
                        assertThat(young.token()).isGreaterThan(old.token());

                        long readByYoung = sell(data, young.sequencer(), 0);
                        assertThatThrownBy(() -> sell(data, old.sequencer(), readByOld))
                                .isInstanceOf(StaleTokenException.class);
                        sell(data, young.sequencer(), readByYoung);
                    }
                }
            }
        }
        assertThat(data.number("SELECT pieces FROM stock WHERE id = 42")).isEqualTo(4);
        assertThat(guard.refusals()).isEqualTo(1);
    }

    private static Lease acquire(Holdfast holdfast) throws InterruptedException {
        return holdfast.mutex("stock").acquire(waitUpTo(Duration.ofSeconds(30)).ttl(Duration.ofMinutes(2)));
    }

    /** One guarded transaction: reads, and writes one less than {@code read} if that is not 0. */
    private long sell(Schema data, Sequencer sequencer, long read) throws SQLException {
        try (Connection connection = data.begin()) {
            guard.admit(connection, sequencer);
            long pieces = Schema.number(connection, "SELECT pieces FROM stock WHERE id = 42");
            if (read > 0) {
                Schema.execute(connection, "UPDATE stock SET pieces = " + (read - 1) + " WHERE id = 42");
            }
            connection.commit();
            return pieces;
        }
    }
}
