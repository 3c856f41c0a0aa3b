package io.holdfast.cli.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the watchdog does when it hears nothing more, at every moment of a run. */
class WatchdogTest {
    private static final double SCALE = Double.parseDouble(System.getProperty("holdfast.timeScale", "1"));
    private static final Duration LONG = Duration.ofMinutes(10);

    private final String marker = "run-" + UUID.randomUUID() + "-";
    private Watchdog watchdog = Watchdog.start(marker, Containment.GROUP);
    private Process command = watchdog.process();

    @BeforeEach
    void startACommandThatDoesNotEnd() throws IOException {
        // Whoever started the tests in the background (nohup) may have made them ignore some signals.
        ProcessBuilder builder = new ProcessBuilder(
                "setsid", "env", "--default-signal=INT,HUP,TERM,QUIT", "sh", "-c", "sleep 600 & wait; sleep 600");
        builder.environment().put(RunEnvironment.RUN, "outer-run-:" + marker);
        watchdog.lease(0, LONG, LONG);
        command = builder.start();
    }

    @AfterEach
    void leaveNothing() {
        watchdog.close();
        command.descendants().forEach(ProcessHandle::destroyForcibly);
        command.destroyForcibly();
        watchdog.process().destroyForcibly();
    }

    @Test
    void findsACommandWhoseProcessIdItWasNeverTold() throws InterruptedException {
        watchdog.close();
        assertThat(endOf(command)).isEqualTo(143);
        assertThat(endOf(watchdog.process())).isEqualTo(10);
    }

    @Test
    void sendsTermAtTheTimeItWasTold() throws IOException, InterruptedException {
        long start = System.nanoTime();
        Duration untilTerm = Duration.ofMillis(700);
        watchdog.lease(command.pid(), untilTerm, LONG);
        assertThat(endOf(command)).isEqualTo(143);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(untilTerm.minusMillis(20));
        assertThat(watchdog.finish(longest())).isEqualTo(Watchdog.Verdict.STOPPED);
    }

    @Test
    void sendsKillToWhatIsStoppedOrDeafAtTheTimeItWasTold() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("setsid", "sh", "-c", "trap '' TERM; kill -s STOP $$; sleep 600");
        builder.environment().put(RunEnvironment.RUN, marker);
        Process deaf = builder.start();
        try {
            watchdog.lease(deaf.pid(), Duration.ofMillis(300), Duration.ofMillis(900));
            assertThat(endOf(deaf)).isEqualTo(137);
            assertThat(endOf(command)).isEqualTo(143);
        } finally {
            deaf.destroyForcibly();
        }
    }

    @Test
    void believesTheLastMessage() throws IOException, InterruptedException {
        watchdog.lease(command.pid(), Duration.ofMillis(400), LONG);
        watchdog.lease(command.pid(), LONG, LONG);
        assertThat(command.waitFor(1200, TimeUnit.MILLISECONDS)).isFalse();
        watchdog.signal("HUP");
        assertThat(endOf(command)).isEqualTo(129);
        assertThat(watchdog.finish(longest())).isEqualTo(Watchdog.Verdict.CLEAN);
    }

    @Test
    void stopsTheCommandWhenToldTo() throws IOException, InterruptedException {
        watchdog.lease(command.pid(), LONG, LONG);
        watchdog.stop(LONG);
        assertThat(endOf(command)).isEqualTo(143);
        assertThat(watchdog.finish(longest())).isEqualTo(Watchdog.Verdict.STOPPED);
    }

    private static int endOf(Process process) throws InterruptedException {
        assertThat(process.waitFor(longest().toMillis(), TimeUnit.MILLISECONDS))
                .as("the process ends")
                .isTrue();
        return process.exitValue();
    }

    private static Duration longest() {
        return Duration.ofMillis((long) (30_000 * SCALE));
    }
}
