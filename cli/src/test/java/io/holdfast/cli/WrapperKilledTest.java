package io.holdfast.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two commands never overlap, also when the process that holds the lock for one of them is killed or stopped. */
class WrapperKilledTest {
    private static final Duration TTL = TimeScale.seconds(3);

    @TempDir
    Path folder;

    private String store = "";
    private Beats beats = new Beats(Path.of(""));

    @BeforeEach
    void useAStoreOfOurOwn() {
        store = "sqlite:" + folder.resolve("locks.db");
        beats = new Beats(folder.resolve("beats.txt"));
    }

    @Test
    void killedWrapperTakesItsWholeProcessTreeWithItBeforeAnotherIsGranted() {
        // One in the group, one in a group of its own, one in a session of its own and reparented; none obeys TERM.
        String script = "sh -c \"" + beats.stubborn("G") + "\" & (setsid sh -c \"" + beats.stubborn("E") + "\" &) ; "
                + beats.stubborn("A");
        try (Spawned first = run(script)) {
            beats.awaitLine("A beat").awaitLine("G beat").awaitLine("E beat");
            try (Spawned second = run(beats.brief("B"))) {
                second.awaitErr("waiting");
                first.signal("KILL");
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
        }
        assertThat(beats.lines()).contains("A term", "G term", "E term");
        beats.assertNoOverlap("A", "B");
        beats.assertNoOverlap("G", "B");
        beats.assertNoOverlap("E", "B");
        assertNothingIsLeft();
    }

    @Test
    void killedWrapperLeavesItsCommandTheTimeToEndByItself() {
        try (Spawned first = run(beats.obedient("A"))) {
            beats.awaitLine("A beat");
            first.signal("KILL");
            beats.awaitLine("A term").assertSilent("A");
        }
        assertNothingIsLeft();
    }

    @Test
    void stoppedWrapperLosesItsCommandBeforeItsLeaseEnds() {
        try (Spawned first = run(beats.stubborn("A"))) {
            beats.awaitLine("A beat");
            try (Spawned second = run(beats.brief("B"))) {
                second.awaitErr("waiting");
                first.signal("STOP");
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
            first.signal("CONT");
            assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.LEASE_LOST);
        }
        assertThat(beats.lines()).contains("A term");
        beats.assertNoOverlap("A", "B");
    }

    @Test
    void killedWatchdogIsReplaced() {
        try (Spawned first = run(beats.obedient("A"))) {
            beats.awaitLine("A beat");
            Spawned.signal("KILL", watchdogOf(first));
            first.awaitErr("the watchdog has ended and is started again");
            first.signal("KILL");
            beats.awaitLine("A term").assertSilent("A");
        }
        assertNothingIsLeft();
    }

    @Test
    void whatTheCommandLeavesBehindEndsBeforeTheLockIsReleased() throws IOException {
        String script = "sh -c \"" + beats.stubborn("G") + "\" & until [ -e go ]; do sleep 0.05; done; exit 5";
        try (Spawned first = run(script)) {
            beats.awaitLine("G beat");
            try (Spawned second = run(beats.brief("B"))) {
                second.awaitErr("waiting");
                Files.createFile(folder.resolve("go"));
                assertThat(first.exitCode()).as(first.err()).isEqualTo(5);
                assertThat(first.err()).contains("left behind");
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
        }
        beats.assertNoOverlap("G", "B");
        assertNothingIsLeft();
    }

    @Test
    void whatTheCommandLeavesInAProcessGroupOfItsOwnEndsBeforeTheLockIsReleased() {
        String script = "timeout 600 sh -c \"" + beats.stubborn("G") + "\" & until grep -q 'G beat' beats.txt;"
                + " do sleep 0.05; done; exit 5";
        try (Spawned first = run(script)) {
            assertThat(first.exitCode()).as(first.err()).isEqualTo(5);
            assertThat(first.err()).contains("left behind");
            try (Spawned second = run(beats.brief("B"))) {
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
        }
        beats.assertNoOverlap("G", "B");
        assertNothingIsLeft();
    }

    @Test
    void aNestedRunThatIsLeftBehindEndsWithItsCommandBeforeTheOuterLockIsReleased() {
        List<String> inner = new ArrayList<>(Spawned.holdfastLine("run", "inner", "--ttl", "1m", "--"));
        inner.addAll(List.of("sh", "-c", beats.stubborn("I")));
        String script = inner.stream()
                        .map(word -> "'" + word.replace("'", "'\\''") + "'")
                        .collect(joining(" ")) + " & until grep -q 'I beat' beats.txt; do sleep 0.05; done; exit 5";
        try (Spawned first = run(script)) {
            assertThat(first.exitCode()).as(first.err()).isEqualTo(5);
            try (Spawned second = run(beats.brief("B"))) {
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
        }
        beats.assertNoOverlap("I", "B");
    }

    @Test
    void aWatchdogThatIsKilledAgainAndAgainEndsTheCommandBeforeTheLockIsReleased() {
        String script = "sh -c \"" + beats.stubborn("G") + "\" & " + beats.stubborn("A");
        try (Spawned first = Spawned.holdfast(folder, store, "run", "x", "--ttl", "1m", "--", "sh", "-c", script)) {
            beats.awaitLine("A beat").awaitLine("G beat");
            await().atMost(TimeScale.patience()).until(() -> {
                if (first.process().isAlive()) {
                    watchdogsOf(first).forEach(pid -> Spawned.tryToSignal("KILL", pid));
                }
                return !first.process().isAlive();
            });
            assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.UNSUPPORTED_SYSTEM);
            try (Spawned second = run(beats.brief("B"))) {
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
        }
        beats.assertNoOverlap("A", "B");
        beats.assertNoOverlap("G", "B");
    }

    @Test
    void whatMadeASessionOfItsOwnMayOutliveACommandThatEndedWell() {
        String script = "setsid sh -c \"" + beats.stubborn("D")
                + "\" & until grep -q 'D beat' beats.txt; do sleep 0.05;" + " done; echo $!";
        try (Spawned first = run(script)) {
            assertThat(first.exitCode()).as(first.err()).isZero();
            long daemon = Long.parseLong(first.out().strip());
            assertThat(ProcessHandle.of(daemon)).hasValueSatisfying(ProcessHandle::isAlive);
            Spawned.signal("KILL", daemon);
        }
    }

    private Spawned run(String script) {
        return Spawned.holdfast(
                folder, store, "run", "x", "--ttl", TimeScale.option(TTL), "--wait", "1m", "--", "sh", "-c", script);
    }

    private static long watchdogOf(Spawned run) {
        return watchdogsOf(run).findFirst().orElseThrow();
    }

    private static Stream<Long> watchdogsOf(Spawned run) {
        return run.process()
                .children()
                .map(ProcessHandle::pid)
                .filter(child -> commandLine(child).contains("lease-watchdog"));
    }

    /** No process that mentions this test's folder is alive, neither a command nor a watchdog of one. */
    private void assertNothingIsLeft() {
        await().atMost(TimeScale.patience()).untilAsserted(() -> {
            try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
                assertThat(all.map(process -> commandLine(process.pid()))
                                .filter(line -> line.contains(folder.toString())))
                        .isEmpty();
            }
        });
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }
}
