package io.holdfast.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.GreetingServer;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.MySqlServer;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** MariaDB and MySQL, killed and started again under a holder and a waiter; PostgreSQL is in {@link PostgresFaultTest}. */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class KilledServerTest {
    private static final Duration PATIENCE = TestTime.patience();

    /** Opens a server. */
    @FunctionalInterface
    interface Opening {
        /** Does it. */
        GreetingServer open();
    }

    private static Stream<Named<Opening>> servers() {
        return Stream.of(
                Named.of("MariaDB", () -> MariaDbServer.open()), Named.of("MySQL", () -> MySqlServer.open(Map.of())));
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aLeaseSurvivesAndASessionsLockIsFreedForTheNext(Opening opening) throws Exception {
        try (GreetingServer server = opening.open()) {
            for (String mode : new String[] {"lease", "advisory", "rowlock"}) {
                killed(server, mode);
            }
        }
    }

    private static void killed(GreetingServer server, String mode) throws Exception {
        String url = server.url() + "&holdfast.autoCreate=true&holdfast.table=" + mode + "&holdfast=" + mode;
        LockOptions options = LockOptions.waitUpTo(Duration.ofMinutes(1)).ttl(Duration.ofSeconds(20));
        try (Holdfast holder = Holdfast.open(url);
                Holdfast other = Holdfast.open(url)) {
            Lease lease = holder.mutex("survivor").acquire(options);
            CompletableFuture<Lease> waiter = other.mutex("survivor").acquireAsync(options);

            server.kill();
            server.start();

            if (mode.equals("lease")) {
                await().atMost(PATIENCE).until(() -> lease.state() == LeaseState.HELD && !waiter.isDone());
                assertThat(other.mutex("survivor").tryAcquire()).as(mode).isEmpty();
                lease.close();
            }
            Lease next = waiter.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(next.token()).as(mode).isGreaterThan(lease.token());
            await().atMost(PATIENCE)
                    .until(() -> lease.state() == LeaseState.LOST || lease.state() == LeaseState.RELEASED);
            next.close();
        }
    }
}
