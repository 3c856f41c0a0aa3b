package io.holdfast.cli.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which processes the JVM signals, and which it leaves alone. */
class CommandProcessesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String marker = "run-" + UUID.randomUUID() + "-";
    private final CommandProcesses processes = new CommandProcesses(marker, Containment.GROUP);
    private Process command = ended();

    @BeforeEach
    void startACommand() throws IOException {
        command = new ProcessBuilder("setsid", "sh", "-c", "sleep 600 & sleep 600").start();
        await().atMost(PATIENCE).until(() -> command.children().count() == 2 && leadsASession(command));
    }

    @AfterEach
    void leaveNothing() {
        command.descendants().forEach(ProcessHandle::destroyForcibly);
        command.destroyForcibly();
    }

    /** U32: session and group of a number that another process has got are not the command's. */
    @Test
    void aStrangerThatGotTheProcessIdOfTheCommandIsNotSignalled() {
        processes.started(command.pid(), 1);
        assertThat(processes.sessionEnded()).isTrue();
        assertThat(processes.allEnded()).isTrue();
        processes.pass("KILL");
        processes.terminate();
        processes.kill();
        assertThat(command.isAlive()).isTrue();
        assertThat(command.children().filter(ProcessHandle::isAlive)).hasSize(2);
    }

    @Test
    void theCommandAndItsSessionAreSignalled() {
        assertThat(processes.started(command.pid())).isPositive();
        assertThat(processes.sessionEnded()).isFalse();
        assertThat(processes.knownAlive()).hasSize(3).contains(command.pid());
        processes.kill();
        await().atMost(PATIENCE).until(processes::allEnded);
        assertThat(processes.sessionEnded()).isTrue();
        assertThat(processes.knownAlive()).isEmpty();
    }

    /** The group of a process may change while it is known: it stays one process. */
    @Test
    void aProcessThatWasReparentedIsCountedOnce() {
        processes.started(command.pid());
        assertThat(processes.sessionEnded()).isFalse();
        command.destroyForcibly();
        await().atMost(PATIENCE).until(() -> !command.isAlive());
        assertThat(processes.sessionEnded()).isFalse();
        assertThat(processes.knownAlive()).hasSize(2);
        processes.killKnown();
        await().atMost(PATIENCE).until(processes::sessionEnded);
    }

    /** So that there is a process in every state of a test. */
    private static Process ended() {
        try {
            return new ProcessBuilder("true").start();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static boolean leadsASession(Process process) {
        return ProcessTable.find(process.pid())
                .filter(row -> row.session() == row.pid())
                .isPresent();
    }
}
