package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.tck.TestTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that are killed while they hold, wait, or are being handed the lock: real processes, SIGKILL. */
@Tag("slow")
class KilledClientTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(60));
    /** What promise 3 allows beyond TTL, and something for a busy machine. */
    private static final Duration LATE = TestTime.scaled(Duration.ofSeconds(4));

    private final RedisServer server = RedisServer.open();
    private final Holdfast holder = Holdfast.open(server.url());
    private final Holdfast next = Holdfast.open(server.url());
    private @Nullable Process child;
    private @Nullable BufferedReader output;

    @AfterEach
    void stop() throws Exception {
        if (child != null) {
            child.destroyForcibly().waitFor();
        }
        holder.close();
        next.close();
        server.close();
    }

    @Test
    void whileItHolds() throws Exception {
        start("PT2S");
        long token = Long.parseLong(line().substring("token ".length()));
        CompletableFuture<Lease> waiting = next.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        awaitWaiters(1);

        long killed = kill();

        Lease lease = waiting.get();
        assertThat(lease.token()).isGreaterThan(token);
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(LATE.plusSeconds(2));
        lease.close();
        nothingLeft();
    }

    @Test
    void whileItWaits() throws Exception {
        Lease held = holder.mutex("job").acquire();
        start("PT30S");
        awaitWaiters(1);
        CompletableFuture<Lease> waiting = next.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        awaitWaiters(2);

        kill();
        long released = System.nanoTime();
        held.close();

        waiting.get().close();
        assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(LATE);
        nothingLeft();
    }

    @Test
    void whileItIsBeingHandedTheLock() throws Exception {
        Lease held = holder.mutex("job").acquire();
        start("PT30S");
        awaitWaiters(1);
        CompletableFuture<Lease> waiting = next.mutex("job").acquireAsync(waitUpTo(PATIENCE));
        awaitWaiters(2);
        signal("STOP");
        long released = System.nanoTime();
        held.close();
        assertThat(next.list("job", 1).get(0).holders().get(0).label()).contains(String.valueOf(child().pid()));

        kill();

        waiting.get().close();
        assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(LATE);
        nothingLeft();
    }

    private void start(String ttl) throws IOException {
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockChild.class.getName(),
                        server.url(),
                        ttl)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        child = started;
        output = started.inputReader();
        assertThat(line()).isEqualTo("ready");
    }

    private Process child() {
        return Objects.requireNonNull(child);
    }

    private String line() throws IOException {
        return Objects.requireNonNull(Objects.requireNonNull(output).readLine(), "the child ended");
    }

    private long kill() throws InterruptedException {
        child().destroyForcibly().waitFor();
        return System.nanoTime();
    }

    private void signal(String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(child().pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private void awaitWaiters(int count) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> holder.list("job", 1).stream().anyMatch(status -> status.waiting() == count));
    }

    private void nothingLeft() {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> ((List<?>) Objects.requireNonNull(server.call("KEYS", "*")))
                        .stream().map(String::valueOf).allMatch(key -> key.endsWith(":f") || key.endsWith(":t")));
    }
}
