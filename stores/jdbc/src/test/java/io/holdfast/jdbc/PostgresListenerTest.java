package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.WatchableStore.Watch;
import io.holdfast.tck.OpenWait;
import io.holdfast.tck.TestTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is heard after a thread that listened has left; here the own thread never looks for that by itself. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class PostgresListenerTest {
    private static final Duration PATIENCE = TestTime.patience();
    private static final String CHANNEL = "listener-test";

    private static PostgresServer server = new PostgresServer(PostgresOptions.defaults());

    private PostgresListener listener;

    @BeforeAll
    static void start() {
        server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Whoever watches when a connection begins to listen is told at once, as one who may have missed something. */
    @BeforeEach
    void open() throws Exception {
        Properties user = new Properties();
        user.setProperty("user", PostgresServer.USER);
        DriverSource source = new DriverSource(server.url(), user, "the server under test");
        listener = new PostgresListener(source::listening, CHANNEL, "the server under test", Duration.ofHours(1));
        Heard first = new Heard("anything");
        first.isTold();
        first.watch.close();
    }

    @AfterEach
    void close() {
        listener.close();
    }

    @Test
    void whoLeavesOthersWaitingBringsTheOwnThreadBack() throws Exception {
        Heard other = new Heard("other");
        Heard own = new Heard("own");
        listens(own);
        tell("other");
        other.isTold();
    }

    @Test
    void whoBeginsToWatchBringsTheOwnThreadBack() throws Exception {
        Heard own = new Heard("own");
        listens(own);
        Heard next = new Heard("next");
        tell("next");
        next.isTold();
    }

    @Test
    void theNextWhoWaitsNeedNotBringItBack() throws Exception {
        listens(new Heard("first"));
        listens(new Heard("second"));
    }

    /** Hears in place of the own thread until it is told, and then closes its watch and leaves. */
    private void listens(Heard own) throws Exception {
        OpenWait wait = new OpenWait();
        CompletableFuture<Void> left = CompletableFuture.runAsync(() -> {
            while (wait.waits() && !listener.borrow(wait)) {
                Thread.onSpinWait();
            }
        });
        await().atMost(PATIENCE).until(wait::isLent);
        own.told.thenRun(() -> {
            own.watch.close();
            wait.end();
        });
        tell(own.name);
        left.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        own.isTold();
        assertThat(wait.doneAfterwards()).isEqualTo(1);
    }

    private static void tell(String name) throws SQLException {
        server.execute("SELECT pg_notify('" + CHANNEL + "', '" + name + "')");
    }

    /** A watch on a name. */
    private final class Heard {
        private final String name;
        private final CompletableFuture<Void> told = new CompletableFuture<>();
        private final Watch watch;

        Heard(String name) {
            this.name = name;
            watch = listener.watch(name, () -> told.complete(null), () -> true);
        }

        void isTold() throws Exception {
            told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
