package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.tck.TestTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** ADR 32: a thread that waits for a lock in PostgreSQL listens itself, and asks on the connection that told it. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ListeningWaiterTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final LockOptions PATIENT =
            LockOptions.waitUpTo(Duration.ofMinutes(2)).ttl(Duration.ofSeconds(30));

    private static PostgresServer server = new PostgresServer(PostgresOptions.defaults());

    private Holdfast one;
    private Holdfast two;

    @BeforeAll
    static void start() {
        server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        one = client();
        two = client();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private static Holdfast client() {
        return Holdfast.builder()
                .url(server.url() + "&holdfast.autoCreate=true&holdfast.ioTimeout=1s")
                .defaults(PATIENT)
                .open();
    }

    @Test
    void itAsksOnTheConnectionThatToldIt() throws Exception {
        Lease held = one.mutex("told").acquire();
        Waiter waiter = listening("told", PATIENT);
        int process = listeningProcess();
        held.close();
        Lease got = waiter.lease();
        assertThat(got.token()).isGreaterThan(held.token());
        assertThat(number("SELECT count(*) FROM pg_stat_activity WHERE query NOT LIKE 'LISTEN%' AND pid = " + process))
                .as("the last statement of the process that listens is the one that took the lock")
                .isEqualTo(1);
    }

    @Test
    void anInterruptIsNoticedThoughTheDatabaseIsSilent() throws Exception {
        Lease held = one.mutex("silent").acquire();
        Waiter waiter = listening("silent", PATIENT);
        server.pause();
        try {
            waiter.thread.interrupt();
            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        } finally {
            server.resume();
        }
        held.close();
        two.mutex("silent").acquire().close();
    }

    @Test
    void itsTimeEnds() throws Exception {
        Lease held = one.mutex("timed").acquire();
        Waiter waiter = listening("timed", LockOptions.waitUpTo(Duration.ofMillis(1500)));
        assertThat(waiter.failure()).isInstanceOf(LockTimeoutException.class);
        held.close();
    }

    @Test
    void aConnectionThatBreaksUnderItDoesNotCostItTheLock() throws Exception {
        Lease held = one.mutex("broken").acquire();
        Waiter waiter = listening("broken", PATIENT);
        int process = listeningProcess();
        server.execute("SELECT pg_terminate_backend(" + process + ")");
        await().atMost(PATIENCE).until(() -> !waiter.listens());
        held.close();
        assertThat(waiter.lease().state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aClientThatIsClosedUnderItEndsItsWait() throws Exception {
        Lease held = one.mutex("closed").acquire();
        Waiter waiter = listening("closed", PATIENT);
        two.close();
        assertThat(waiter.failure()).isNotInstanceOf(LockTimeoutException.class);
        held.close();
    }

    @Test
    void othersOfItsClientAreToldByIt() throws Exception {
        Lease first = one.mutex("first").acquire();
        Lease second = one.mutex("second").acquire();
        Waiter listener = listening("first", PATIENT);
        Waiter other = new Waiter("second", PATIENT);
        await().atMost(PATIENCE).until(() -> other.thread.getState() == Thread.State.TIMED_WAITING);
        second.close();
        assertThat(other.lease().state()).isEqualTo(LeaseState.HELD);
        first.close();
        assertThat(listener.lease().state()).isEqualTo(LeaseState.HELD);
    }

    /** One that listens: on a busy machine the store's own thread may not make room in time, and then it parks. */
    private Waiter listening(String name, LockOptions options) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Waiter waiter = new Waiter(name, options);
            for (int i = 0; i < 200; i++) {
                if (waiter.listens()) {
                    return waiter;
                }
                Thread.sleep(1);
            }
            waiter.thread.interrupt();
            waiter.thread.join();
            assertThat(System.nanoTime() - end)
                    .as("time left for a waiter that listens")
                    .isNegative();
        }
    }

    private static int listeningProcess() throws SQLException {
        return number(
                "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' ORDER BY backend_start DESC LIMIT 1");
    }

    private static int number(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** A thread of the second client that waits. */
    private final class Waiter {
        private final CompletableFuture<Lease> outcome = new CompletableFuture<>();
        private final Thread thread;

        Waiter(String name, LockOptions options) {
            thread = new Thread(() -> {
                try {
                    outcome.complete(two.mutex(name).acquire(options));
                } catch (InterruptedException | RuntimeException e) {
                    outcome.completeExceptionally(e);
                }
            });
            thread.start();
        }

        boolean listens() {
            return Arrays.stream(thread.getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("hear"));
        }

        Lease lease() throws Exception {
            return outcome.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }

        Throwable failure() throws Exception {
            return outcome.handle((lease, failure) -> failure == null ? new AssertionError("it got the lock") : failure)
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
