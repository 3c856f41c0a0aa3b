package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.servers.RedisServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command on a store that is a server: the same words, another {@code --store}. */
class RemoteStoreTest {
    private static final int PROCESSES = 4;

    @TempDir
    Path folder;

    @Test
    void onlyOneCommandRunsAtATimeOnRedis() throws Exception {
        String script = "mkdir alone || exit 99; n=$(cat counter 2>/dev/null || echo 0); sleep 0.05;"
                + " echo $((n + 1)) >counter; echo $HOLDFAST_TOKEN >>tokens; rmdir alone";
        try (RedisServer redis = RedisServer.open()) {
            String store = "redis://127.0.0.1:" + redis.port();
            List<Spawned> runs = new ArrayList<>();
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    runs.add(Spawned.holdfast(folder, store, "run", "x", "--wait", "1m", "--", "sh", "-c", script));
                }
                for (Spawned run : runs) {
                    assertThat(run.exitCode()).as(run.err()).isZero();
                }
            } finally {
                runs.forEach(Spawned::close);
            }
        }
        assertThat(Spawned.text(folder.resolve("counter")).strip()).isEqualTo(Integer.toString(PROCESSES));
        List<Long> tokens = Spawned.text(folder.resolve("tokens"))
                .lines()
                .map(Long::valueOf)
                .toList();
        assertThat(tokens).hasSize(PROCESSES).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theChildOfAKilledWrapperIsGoneBeforeTheNextHolderStarts() throws Exception {
        String script = "echo $$ >pid; mkdir alone; sleep 60; rmdir alone";
        try (RedisServer redis = RedisServer.open()) {
            String store = "redis://127.0.0.1:" + redis.port();
            try (Spawned first = Spawned.holdfast(folder, store, "run", "x", "--ttl", "5s", "--", "sh", "-c", script)) {
                await().until(() -> Files.exists(folder.resolve("alone")));
                long child = Long.parseLong(Spawned.text(folder.resolve("pid")).strip());
                first.process().destroyForcibly();
                try (Spawned second = Spawned.holdfast(
                        folder, store, "run", "x", "--wait", "30s", "--", "sh", "-c", "kill -0 " + child)) {
                    // kill fails if no process has this id any more.
                    assertThat(second.exitCode()).as(second.err()).isEqualTo(1);
                }
            }
        }
    }

    /** B4, L14: an outage that looks like a busy lock is hidden by the idiom for "skip if held". */
    @Test
    void aServerThatDiesDuringTheWaitIsAnOutageAndNotABusyLock() throws Exception {
        try (RedisServer redis = RedisServer.open()) {
            String store = "redis://127.0.0.1:" + redis.port();
            String ttl = TimeScale.option(TimeScale.seconds(3));
            try (Spawned holder = Spawned.holdfast(
                    folder, store, "run", "x", "--ttl", ttl, "--", "sh", "-c", "touch in; sleep 600")) {
                await().atMost(TimeScale.patience()).until(() -> Files.exists(folder.resolve("in")));
                String wait = TimeScale.option(TimeScale.seconds(8));
                try (Spawned waiter =
                        Spawned.holdfast(folder, store, "run", "x", "--wait", wait, "--", "touch", "ran")) {
                    waiter.awaitErr("waiting up to");
                    redis.kill();
                    assertThat(waiter.exitCode()).as(waiter.err()).isEqualTo(ExitCode.STORE_UNAVAILABLE);
                    assertThat(waiter.err()).contains("cannot be reached").doesNotContain("for another");
                }
                assertThat(holder.exitCode()).as(holder.err()).isEqualTo(ExitCode.LEASE_LOST);
            }
        }
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    /** U1-14: another password helps, and time does not. */
    @Test
    void aMissingOrWrongPasswordIsBadInputAndAnOutageIsNot() throws Exception {
        try (RedisServer redis = RedisServer.open()) {
            redis.call("CONFIG", "SET", "requirepass", "geheim");
            String address = "127.0.0.1:" + redis.port();
            assertShow(ExitCode.USAGE, "redis://" + address, "password");
            assertShow(ExitCode.USAGE, "redis://:falsch@" + address, "password");
            assertShow(ExitCode.OK, "redis://:geheim@" + address, "");
        }
        assertShow(ExitCode.STORE_UNAVAILABLE, "redis://127.0.0.1:1", "refused");
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.start();
        try {
            int port = web.getAddress().getPort();
            assertShow(ExitCode.USAGE, "redis://127.0.0.1:" + port, "not a Redis");
        } finally {
            web.stop(0);
        }
    }

    private void assertShow(int exitCode, String store, String names) {
        try (Spawned show = Spawned.holdfast(folder, store, "show", "x")) {
            assertThat(show.exitCode()).as(show.err()).isEqualTo(exitCode);
            assertThat(show.err())
                    .contains(names)
                    .doesNotContain("falsch", "\tat ", "Exception", "finishConnect", "HELLO")
                    .hasLineCount(exitCode == ExitCode.OK ? 0 : 1);
        }
    }

    /** U1-15: the person with the cron job has no log file of the library. */
    @Test
    void aServerThatKeepsNothingOnDiskIsToldOnceAndNotIfQuiet() throws Exception {
        try (RedisServer redis = RedisServer.open()) {
            String store = "redis://127.0.0.1:" + redis.port();
            try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "true")) {
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.err())
                        .startsWith("holdfast: warning: ")
                        .contains("keeps nothing on disk")
                        .hasLineCount(1);
            }
            try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--quiet", "--", "true")) {
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.err()).isEmpty();
            }
        }
    }

    @Test
    void aServerThatIsNotThereIsAClearErrorWithoutThePassword() {
        try (Spawned run = Spawned.holdfast(
                folder, "redis://user:geheim@127.0.0.1:1/0", "run", "x", "--wait", "1s", "--", "true")) {
            assertThat(run.exitCode()).as(run.err()).isNotZero();
            assertThat(run.err()).contains("redis://").doesNotContain("geheim").doesNotContain("\tat ");
        }
    }

    @Test
    void queriesSpeakOfTheRemoteStore() throws Exception {
        try (RedisServer redis = RedisServer.open()) {
            String store = "redis://127.0.0.1:" + redis.port();
            try (Spawned holder = Spawned.holdfast(
                    folder, store, "run", "nightly", "--label", "report", "--", "sh", "-c", "touch in; sleep 60")) {
                await().until(() -> Files.exists(folder.resolve("in")));
                try (Spawned show = Spawned.holdfast(folder, store, "show", "nightly")) {
                    assertThat(show.exitCode()).as(show.err()).isZero();
                    assertThat(show.out()).contains("nightly", "report", store);
                }
                assertThat(holder.process().isAlive()).isTrue();
            }
        }
    }
}
