package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewResult;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody else writes for too long. */
final class BusyFileTest {
    @TempDir
    Path folder = Path.of("");

    private Lockfile file = new Lockfile(Path.of(""));

    @BeforeEach
    void place() {
        file = new Lockfile(folder.resolve("locks.db"));
    }

    @Test
    void aRequestGivesUpAfterAThirdOfItsTtlAndIsKnownToHaveDoneNothing() throws Exception {
        try (EmbeddedLockStore store = file.open();
                Connection stranger = file.connect();
                Statement statement = stranger.createStatement()) {
            ContractClient client = new ContractClient(store);
            Claim claim = exclusive("job").ttl(Duration.ofMillis(300)).claim();
            statement.execute("BEGIN IMMEDIATE");
            long start = System.nanoTime();

            assertThatThrownBy(() -> client.tryAcquire(claim))
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isFalse())
                    .hasMessageContaining("busy");

            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(99), TestTime.scaled(Duration.ofSeconds(1)));
            assertThat(client.names("", 10))
                    .as("a reader does not wait for a writer")
                    .isEmpty();
            statement.execute("ROLLBACK");
            client.granted(claim);
        }
    }

    @Test
    void anInterruptedThreadWaitsForItsTurnReleasesAndStaysInterrupted() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (EmbeddedLockStore store = file.open();
                Connection stranger = file.connect();
                Statement statement = stranger.createStatement()) {
            ContractClient client = new ContractClient(store);
            Claim claim = exclusive("job").claim();
            client.granted(claim);
            statement.execute("BEGIN IMMEDIATE");
            CountDownLatch started = new CountDownLatch(1);
            Future<Boolean> stillInterrupted = other.submit(() -> {
                Thread.currentThread().interrupt();
                started.countDown();
                return store.release(claim).toCompletableFuture().isDone()
                        && Thread.currentThread().isInterrupted();
            });
            started.await();
            statement.execute("ROLLBACK");

            assertThat(stillInterrupted.get(10, TimeUnit.SECONDS)).isTrue();
            client.nothingLeft("job");
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void aRenewalThatWaitedForItsTurnDoesNotReviveALeaseThatRanOutMeanwhile() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (EmbeddedLockStore store = file.open();
                Connection stranger = file.connect();
                Statement statement = stranger.createStatement()) {
            ContractClient client = new ContractClient(store);
            List<Claim> held = List.of(exclusive("job").claim(), shared("data").claim());
            for (Claim claim : held) {
                client.granted(claim);
            }
            statement.execute("BEGIN IMMEDIATE");
            AtomicReference<@Nullable Thread> renewing = new AtomicReference<>();
            Future<List<RenewResult>> renewal = other.submit(() -> {
                renewing.set(Thread.currentThread());
                return ContractClient.answer(store.renew(held));
            });
            await().until(() -> {
                Thread thread = renewing.get();
                return thread != null && thread.getState() == Thread.State.TIMED_WAITING;
            });
            file.time.elapse(Duration.ofSeconds(31));
            statement.execute("ROLLBACK");

            assertThat(renewal.get(10, TimeUnit.SECONDS))
                    .hasSize(2)
                    .allMatch(result -> result.equals(new RenewResult.Lost(LossReason.GONE)));
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void aClosedStoreSaysSo() {
        EmbeddedLockStore store = file.open();
        store.close();
        store.close();
        ContractClient client = new ContractClient(store);

        assertThatThrownBy(() -> client.tryAcquire(exclusive("job").claim()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("closed");
    }
}
