package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeftBehind.class)
@Timeout(120)
class ServerProcessTest {
    /** A shell script instead of a server: the verbs do not care. It is ready when it has written a file. */
    private static final class Script extends ServerProcess {
        private final String script;

        Script(String script) {
            super("script", 2);
            this.script = script;
        }

        @Override
        protected List<String> command() {
            return List.of("sh", "-c", script);
        }

        @Override
        protected void prepare() throws IOException {
            runTool(List.of("sh", "-c", "echo prepared >> prepared; echo from the tool"));
        }

        @Override
        protected Map<String, String> environment() {
            return Map.of("GREETING", "hello");
        }

        @Override
        protected boolean answers() throws IOException {
            return Files.exists(data().resolve("ready"));
        }

        @Override
        protected Duration patience() {
            return Duration.ofMillis(500);
        }

        long preparations() throws IOException {
            return Files.readAllLines(data().resolve("prepared")).size();
        }
    }

    @Test
    void aServerThatEndsIsReportedWithItsStatusAndLog() {
        try (Script server = new Script("echo the disk is on fire; exit 7")) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("ended with status 7")
                    .hasMessageContaining("the disk is on fire");
        }
    }

    @Test
    void aServerThatNeverAnswersIsKilledAndReported() {
        try (Script server = new Script("echo thinking; sleep 600 & wait")) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("did not answer within")
                    .hasMessageContaining("thinking");
            assertThat(server.isRunning()).isFalse();
        }
    }

    @Test
    void aCommandThatDoesNotExistIsReported() {
        ServerProcess server = new ServerProcess("ghost", 0) {
            @Override
            protected List<String> command() {
                return List.of("/no/such/server");
            }

            @Override
            protected boolean answers() {
                return true;
            }
        };
        try (server) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("/no/such/server");
        }
    }

    @Test
    void theDataFolderIsPreparedOnceAndAgainAfterADataLoss() throws Exception {
        try (Script server = new Script("echo $GREETING; touch ready; exec sleep 600")) {
            server.start();
            server.restart();
            assertThat(server.preparations()).isEqualTo(1);
            assertThat(server.logTail()).contains("from the tool").contains("hello");
            Files.writeString(server.data().resolve("kept"), "x");
            server.restartWithDataLoss();
            assertThat(server.preparations()).isEqualTo(1);
            assertThat(server.data().resolve("kept")).doesNotExist();
        }
    }

    @Test
    void killAndPauseReachChildProcesses() throws Exception {
        try (Script server = new Script("sleep 600 & touch ready; wait")) {
            server.start();
            ProcessHandle child = ProcessHandle.of(server.pid())
                    .orElseThrow()
                    .descendants()
                    .findFirst()
                    .orElseThrow();
            server.pause();
            assertThat(stateOf(child)).isEqualTo('T');
            server.resume();
            await().atMost(TimeScale.of(Duration.ofSeconds(5))).until(() -> stateOf(child) == 'S');
            server.kill();
            await().atMost(TimeScale.of(Duration.ofSeconds(5))).until(() -> !child.isAlive());
        }
    }

    @Test
    void aServerThatIgnoresTheStopSignalIsKilledAndReported() {
        try (Script server = new Script("trap '' TERM; touch ready; while :; do sleep 0.05; done")) {
            server.start();
            assertThatThrownBy(server::stop).hasMessageContaining("did not end on SIGTERM");
            assertThat(server.isRunning()).isFalse();
        }
    }

    @Test
    void closeEndsAStartThatIsUnderWay() {
        Script server = new Script("echo $$ > pid; sleep 600 & wait");
        CompletableFuture<Void> start = CompletableFuture.runAsync(server::start);
        await().atMost(TimeScale.of(Duration.ofSeconds(5))).until(server::isRunning);
        server.close();
        assertThatThrownBy(start::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ServerStartException.class);
        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void verbsThatNeedARunningServerSaySo() {
        try (Script server = new Script("touch ready; exec sleep 600")) {
            assertThatThrownBy(server::pause).hasMessageContaining("does not run");
            assertThatThrownBy(server::pid).hasMessageContaining("does not run");
            server.start();
            assertThatThrownBy(server::start).hasMessageContaining("runs already");
            server.kill();
            assertThatThrownBy(server::stop)
                    .hasMessageContaining("does not run")
                    .hasMessageContaining("137");
            server.kill();
        }
    }

    @Test
    void portsAreDistinctAndFree() {
        try (Script server = new Script("exit 0")) {
            assertThat(server.port(0)).isNotEqualTo(server.port(1)).isBetween(1024, 32_767);
        }
    }

    private static char stateOf(ProcessHandle process) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2);
    }
}
