package io.holdfast.cli.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the watchdog does when the JVM is dead or stands still, at every moment of a run. */
class WatchdogTest {
    private static final double SCALE = Double.parseDouble(System.getProperty("holdfast.timeScale", "1"));
    private static final Duration LONG = Duration.ofMinutes(10);

    private final String marker = "run-" + UUID.randomUUID() + "-";
    private Watchdog watchdog = start(0, LONG, LONG);
    private Process command = watchdog.process();

    @BeforeEach
    void startACommandThatDoesNotEnd() throws IOException {
        // If the tests were started in the background (nohup), they may ignore some signals.
        ProcessBuilder builder = new ProcessBuilder(
                "setsid", "env", "--default-signal=INT,HUP,TERM,QUIT", "sh", "-c", "sleep 600 & wait; sleep 600");
        builder.environment().put(RunEnvironment.RUN, "outer-run-:" + marker);
        command = builder.start();
    }

    @AfterEach
    void leaveNothing() {
        watchdog.dismiss();
        command.descendants().forEach(ProcessHandle::destroyForcibly);
        command.destroyForcibly();
        watchdog.process().destroyForcibly();
    }

    @Test
    void findsACommandWhoseProcessIdItWasNeverTold() throws Exception {
        watchdog.process().getOutputStream().close();
        assertThat(endOf(command)).isEqualTo(143);
        assertThat(endOf(watchdog.process())).isEqualTo(10);
    }

    /** Session 0 is the kernel's and init's; in a container it is that of processes from outside. */
    @Test
    void withoutAProcessIdOnlyWhatCarriesTheMarkerIsSignalled() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                "sh",
                "-c",
                "kill() { echo \"$@\"; }\n" + Watchdog.script(),
                "lease-watchdog",
                marker,
                "group",
                "0",
                "0",
                Long.toString(Uptime.now() + 6000),
                Long.toString(Uptime.now()));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process dry = builder.start();
        try {
            dry.getOutputStream().close();
            String first = new String(dry.getInputStream().readNBytes(7), StandardCharsets.US_ASCII);
            assertThat(first).isEqualTo("-s TERM");
            StringBuilder pids = new StringBuilder();
            for (int c = dry.getInputStream().read();
                    c != '\n';
                    c = dry.getInputStream().read()) {
                pids.append((char) c);
            }
            List<String> own = new ArrayList<>(List.of(Long.toString(command.pid())));
            command.descendants().forEach(child -> own.add(Long.toString(child.pid())));
            assertThat(pids.toString().strip().split(" "))
                    .containsOnlyOnceElementsOf(own)
                    .hasSameSizeAs(own);
        } finally {
            dry.destroyForcibly();
        }
    }

    @Test
    void sendsTermAtItsTime() throws InterruptedException {
        long start = System.nanoTime();
        Duration untilTerm = Duration.ofMillis(700);
        Watchdog second = start(command.pid(), untilTerm, LONG);
        assertThat(endOf(command)).isEqualTo(143);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(untilTerm.minusMillis(20));
        assertThat(second.isDue()).isTrue();
        assertThat(second.hasStopped(longest().toMillis())).isTrue();
    }

    @Test
    void sendsKillToWhatIsStoppedOrDeafAtItsTime() throws Exception {
        ProcessBuilder builder = new ProcessBuilder("setsid", "sh", "-c", "trap '' TERM; kill -s STOP $$; sleep 600");
        builder.environment().put(RunEnvironment.RUN, marker);
        Process deaf = builder.start();
        try {
            Watchdog second = start(deaf.pid(), Duration.ofMillis(300), Duration.ofMillis(900));
            assertThat(endOf(deaf)).isEqualTo(137);
            assertThat(endOf(command)).isEqualTo(143);
            assertThat(second.hasStopped(longest().toMillis())).isTrue();
        } finally {
            deaf.destroyForcibly();
        }
    }

    @Test
    void aDismissedWatchdogDoesNothing() throws InterruptedException {
        Watchdog second = start(command.pid(), Duration.ofMillis(1500), LONG);
        second.dismiss();
        assertThat(endOf(second.process())).isZero();
        assertThat(command.isAlive()).isTrue();
    }

    @Test
    void sendsOnlyKillIfTermWasSent() throws InterruptedException {
        Watchdog second = Watchdog.startForKill(
                prey(command.pid()), Uptime.after(Uptime.now(), Duration.ofMillis(300)), System.nanoTime());
        assertThat(endOf(command)).isEqualTo(137);
        assertThat(second.hasStopped(longest().toMillis())).isTrue();
    }

    /** U32: the process id of a command that has ended may be that of another process by now. */
    @Test
    void aStrangerThatGotTheProcessIdOfTheCommandIsNotSignalled() throws Exception {
        Process stranger = new ProcessBuilder("setsid", "sleep", "600").start();
        try {
            long now = Uptime.now();
            Watchdog second = Watchdog.start(
                    new Watchdog.Prey(marker, Containment.GROUP, stranger.pid(), 1), now, now, System.nanoTime());
            assertThat(endOf(command)).isIn(143, 137);
            assertThat(second.hasStopped(longest().toMillis())).isTrue();
            Watchdog third = Watchdog.start(
                    new Watchdog.Prey(marker, Containment.GROUP, 0, 0), now + 60_000, now + 60_000, System.nanoTime());
            third.started(stranger.pid(), 1);
            third.process().getOutputStream().close();
            assertThat(third.hasStopped(longest().toMillis())).isTrue();
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void aStallWhileTheLeaseIsAskedMakesItsEndEarlierAndNeverLater() {
        Duration stall = Duration.ofMillis(300);
        Lease slow = (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, call, args) -> {
                    // Stands for a pause between the lease's answer and the caller's next line.
                    TimeUnit.MILLISECONDS.sleep(stall.toMillis());
                    return Duration.ofSeconds(10);
                });
        long uptime = Uptime.now();
        long nanos = System.nanoTime();
        LeaseEnd end = LeaseEnd.of(slow);
        long pause = System.nanoTime() - nanos;
        assertThat(end.uptimeAfter(end.remaining()))
                .isLessThanOrEqualTo(uptime + 1000 + (pause - stall.toNanos()) / 10_000_000 + 1);
        assertThat(end.left()).isLessThanOrEqualTo(Duration.ofSeconds(10).minus(stall));
    }

    private Watchdog.Prey prey(long pid) {
        long start = ProcessTable.find(pid).map(ProcessTable.Row::start).orElse(0L);
        return new Watchdog.Prey(marker, Containment.GROUP, pid, start);
    }

    private Watchdog start(long pid, Duration untilTerm, Duration untilKill) {
        long now = Uptime.now();
        return Watchdog.start(
                prey(pid),
                Uptime.after(now, untilTerm),
                Uptime.after(now, untilKill),
                System.nanoTime() + untilTerm.toNanos());
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
