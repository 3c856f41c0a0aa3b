package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is particular to locks that sessions hold, on PostgreSQL. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class SessionLockTest {
    private final PostgresServer server = Servers.postgres();
    private final String table = Servers.table();

    private String url(int port, String mode, String options) {
        return server.urlAt(port) + "&holdfast.autoCreate=true&holdfast.table=" + table + "&holdfast=" + mode + options;
    }

    /** U13: the token is committed apart from the lock, so it stays when the holder's session is rolled back. */
    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "advisory"})
    void aTokenOutlivesTheSessionThatDrewIt(String mode) throws Exception {
        long first;
        try (LockStore store = SqlFixture.openUrl(url(server.port(), mode, ""))) {
            ContractClient client = new ContractClient(store);
            Claim held = Ask.exclusive("job").claim();
            first = client.granted(held).token();
            server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'"
                    + " AND query LIKE '%" + table + "%' AND pid <> pg_backend_pid()");
            client.lost(held);
        }
        try (LockStore store = SqlFixture.openUrl(url(server.port(), mode, ""))) {
            ContractClient client = new ContractClient(store);
            assertThat(client.status("job").lastToken()).isGreaterThanOrEqualTo(first);
            await().until(() -> client.tryAcquire(Ask.exclusive("job").claim()) instanceof Granted);
            assertThat(client.status("job").lastToken()).isGreaterThan(first);
        }
    }

    /** U22: a holder that is cut off is LOST by its own count; the server frees the lock when the TTL is over. */
    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "advisory"})
    void aHolderThatIsCutOffIsLostAndTheServerFreesItsLock(String mode) throws Exception {
        Duration patience = TestTime.scaled(Duration.ofSeconds(20));
        try (TcpProxy proxy = TcpProxy.to(server);
                Holdfast holder = Holdfast.open(url(proxy.port(), mode, "&holdfast.ioTimeout=500ms"));
                Holdfast other = Holdfast.open(url(server.port(), mode, ""))) {
            Lease lease = holder.mutex("cut")
                    .acquire(LockOptions.waitUpTo(Duration.ofSeconds(5)).ttl(Duration.ofSeconds(2)));
            assertThat(other.mutex("cut").tryAcquire()).isEmpty();
            proxy.cut();

            await().atMost(patience).until(() -> lease.state() == LeaseState.LOST);
            Lease next = other.mutex("cut").acquire(LockOptions.waitUpTo(patience));

            assertThat(next.token()).isGreaterThan(lease.token());
            next.close();
            proxy.restore();
        }
    }

    /** One connection holds one lock: a pool that is used up is a clear error. */
    @ParameterizedTest
    @ValueSource(strings = {"rowlock", "advisory"})
    void aPoolThatIsUsedUpSaysSo(String mode) throws Exception {
        try (LockStore store =
                SqlFixture.openUrl(url(server.port(), mode, "&holdfast.poolSize=1&holdfast.ioTimeout=300ms"))) {
            ContractClient client = new ContractClient(store);
            Claim one = Ask.exclusive("one").claim();
            client.granted(one);
            assertThatThrownBy(() -> client.tryAcquire(Ask.exclusive("two").claim()))
                    .isInstanceOfSatisfying(StoreUnavailableException.class, failure -> {
                        assertThat(failure.outcomeUnknown()).isFalse();
                        assertThat(failure).hasMessageContaining("holdfast.poolSize");
                    });
            client.released(one);
            client.granted(Ask.exclusive("two"));
        }
    }
}
