package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a terminal, which {@code script} (of every Debian's base system) provides. */
class TerminalTest {
    @TempDir
    Path folder;

    private String store = "";

    @BeforeEach
    void useAStoreOfOurOwn() {
        store = "sqlite:" + folder.resolve("locks.db");
    }

    @Test
    void commandReadsTheTerminalAndOneCtrlCReachesItOnce() throws IOException {
        String script = "trap 'echo int >>ints' INT; echo ready; read line; echo \"line $line\"; read more;"
                + " while [ ! -e ints ]; do sleep 0.05; done; sleep 0.3; echo \"count $(wc -l <ints)\"; exit 7";
        try (Spawned run = onTerminal(Map.of(), "run", "x", "--", "sh", "-c", script);
                OutputStream keyboard = run.process().getOutputStream()) {
            awaitOut(run, "ready");
            type(keyboard, "hello\n");
            awaitOut(run, "line hello");
            type(keyboard, "\u0003");
            awaitOut(run, "count 1");
            assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        }
    }

    @Test
    void killedWrapperTakesACommandOnATerminalWithIt() throws IOException {
        Beats beats = new Beats(folder.resolve("beats.txt"));
        String option = TimeScale.option(TimeScale.seconds(3));
        // The shell outlives the wrapper: when a session's leader ends, the kernel hangs up on all that is left.
        try (Spawned run = onTerminal(
                        "%s; sleep 60",
                        Map.of(),
                        "run",
                        "x",
                        "--ttl",
                        option,
                        "--",
                        "sh",
                        "-c",
                        beats.stubborn("A") + " & wait; sleep 9");
                OutputStream keyboard = run.process().getOutputStream()) {
            beats.awaitLine("A beat");
            Spawned.signal("KILL", wrapperBelow(run));
            beats.awaitLine("A term");
            try (Spawned second =
                    Spawned.holdfast(folder, store, "run", "x", "--wait", "1m", "--", "sh", "-c", beats.brief("B"))) {
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
            keyboard.flush();
        }
        beats.assertNoOverlap("A", "B");
    }

    @Test
    void releaseAsksAndColoursAreForTerminals() throws IOException, InterruptedException {
        try (Holdfast holdfast = Holdfast.open(store);
                Lease lease = holdfast.mutex("x").acquire()) {
            try (Spawned release = onTerminal(Map.of(), "release", "x", "--force");
                    OutputStream keyboard = release.process().getOutputStream()) {
                awaitOut(release, "[y/N]");
                assertThat(release.out())
                        .contains("held by", ":" + ProcessHandle.current().pid());
                type(keyboard, "n\n");
                assertThat(release.exitCode()).isEqualTo(ExitCode.DECLINED);
                assertThat(release.out()).contains("nothing was changed");
            }
            lease.ensureValid();
            assertThat(list(Map.of("TERM", "xterm"))).contains("\u001b[1m");
            assertThat(list(Map.of("TERM", "xterm", "NO_COLOR", "1"))).doesNotContain("\u001b");
        }
    }

    private String list(Map<String, String> environment) {
        try (Spawned ls = onTerminal(environment, "ls")) {
            assertThat(ls.exitCode()).isZero();
            return ls.out();
        }
    }

    private Spawned onTerminal(Map<String, String> environment, String... args) {
        return onTerminal("exec %s", environment, args);
    }

    private Spawned onTerminal(String shell, Map<String, String> environment, String... args) {
        String line = Spawned.holdfastLine(args).stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        Map<String, String> all = new HashMap<>(environment);
        all.put(Holdfast.STORE_VARIABLE, store);
        all.put("SHELL", "/bin/sh");
        return Spawned.start(
                folder,
                all,
                List.of("script", "--quiet", "--return", "--command", shell.replace("%s", line), "/dev/null"));
    }

    private static void type(OutputStream keyboard, String text) throws IOException {
        keyboard.write(text.getBytes(StandardCharsets.UTF_8));
        keyboard.flush();
    }

    private static void awaitOut(Spawned run, String text) {
        await().atMost(TimeScale.patience())
                .untilAsserted(() -> assertThat(run.out()).contains(text));
    }

    private static long wrapperBelow(Spawned script) {
        return script.process()
                .descendants()
                .filter(process -> process.info().command().orElse("").endsWith("java"))
                .findFirst()
                .orElseThrow()
                .pid();
    }
}
