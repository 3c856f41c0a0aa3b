package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunTest {
    @TempDir
    Path folder;

    private String store = "";

    @BeforeEach
    void useAStoreOfOurOwn() {
        store = "sqlite:" + folder.resolve("locks.db");
    }

    @ParameterizedTest
    @CsvSource({"exit 0, 0", "exit 42, 42", "exit 255, 255", "kill -s KILL $$, 137", "kill -s TERM $$, 143"})
    void theExitCodeOfTheCommandIsOurs(String script, int expected) {
        try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "sh", "-c", script)) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(expected);
        }
        assertFree("x");
    }

    @Test
    void theCommandFindsLockTokenAndSequencerInItsEnvironment() {
        try (Spawned run = Spawned.holdfast(
                folder,
                store,
                "run",
                "stock: 日本",
                "--shared",
                "--",
                "sh",
                "-c",
                "printf '%s\\n' \"$HOLDFAST_LOCK\" \"$HOLDFAST_TOKEN\" \"$HOLDFAST_SEQUENCER\" \"$HOLDFAST_STORE\"")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            String[] lines = run.out().split("\n");
            assertThat(lines[0]).isEqualTo("stock: 日本");
            Sequencer sequencer = Sequencer.parse(lines[2]);
            assertThat(sequencer.lockName()).isEqualTo("stock: 日本");
            assertThat(sequencer.mode()).isEqualTo(Mode.SHARED);
            assertThat(lines[1]).isEqualTo(Long.toString(sequencer.token()));
            assertThat(lines[3]).isEqualTo(store);
        }
    }

    @Test
    void noShellTouchesTheArgumentsAndTheStreamsAreTheCommandsOwn() throws IOException {
        String[] words = {"a b", "", "$HOME", "*", "it's", "\"q\"", "\\", "line\nbreak", "--wait", "-x", "ü"};
        String[] args = new String[6 + words.length];
        System.arraycopy(
                new String[] {"run", "x", "--", "sh", "-c", "printf '<%s>' \"$0\" \"$@\"; cat; echo bad >&2"},
                0,
                args,
                0,
                6);
        System.arraycopy(words, 0, args, 6, words.length);
        try (Spawned run = Spawned.holdfast(folder, store, args)) {
            try (OutputStream in = run.process().getOutputStream()) {
                in.write("from stdin".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("<" + String.join("><", words) + ">from stdin");
            assertThat(run.err()).isEqualTo("bad\n");
        }
    }

    @Test
    void aLockThatIsHeldIsAnExitCodeOfItsOwnAndNamesHolderAndStore() throws InterruptedException {
        try (Holdfast holdfast = Holdfast.open(store);
                Lease lease = holdfast.mutex("x").acquire(LockOptions.defaults().label("the other one"))) {
            for (String wait : new String[] {"0s", "200ms"}) {
                try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--wait", wait, "--", "touch", "ran")) {
                    assertThat(run.exitCode()).isEqualTo(ExitCode.NOT_OBTAINED);
                    assertThat(run.err())
                            .contains(
                                    "'x'",
                                    "held by",
                                    ":" + ProcessHandle.current().pid(),
                                    "the other one",
                                    "locks.db");
                }
            }
            lease.ensureValid();
            assertThat(folder.resolve("ran")).doesNotExist();
        }
    }

    @Test
    void aCommandThatCannotRunEndsAsInAShellAndLocksNothing() throws IOException {
        Path plain = Files.writeString(folder.resolve("plain.txt"), "not a program");
        assertCannotRun(ExitCode.NOT_FOUND, "no-such-command-anywhere");
        assertCannotRun(ExitCode.NOT_FOUND, "./missing");
        assertCannotRun(ExitCode.NOT_EXECUTABLE, plain.toString());
        assertCannotRun(ExitCode.NOT_EXECUTABLE, folder.toString());
    }

    private void assertCannotRun(int expected, String command) {
        Invocation run = Invocation.of("run", "--store", store, "x", "--", command);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(expected);
        assertThat(run.err()).contains(command).hasLineCount(1);
        assertFree("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void signalsPassThroughToTheCommand(String signal) {
        String script = "trap 'echo got " + signal + "; exit 9' " + signal + "; echo ready >&2;"
                + " while :; do sleep 0.05; done";
        try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "sh", "-c", script)) {
            run.awaitErr("ready").signal(signal);
            assertThat(run.exitCode()).as(run.err()).isEqualTo(9);
            assertThat(run.out()).isEqualTo("got " + signal + "\n");
        }
        assertFree("x");
    }

    @Test
    void aSignalEndsTheWaitAndLeavesNothing() throws InterruptedException {
        try (Holdfast holdfast = Holdfast.open(store);
                Lease lease = holdfast.mutex("x").acquire();
                Spawned run = Spawned.holdfast(folder, store, "run", "x", "--wait", "5m", "--", "touch", "ran")) {
            run.awaitErr("waiting up to 5m").signal("TERM");
            assertThat(run.exitCode()).as(run.err()).isEqualTo(143);
            lease.ensureValid();
        }
        assertFree("x");
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void sharedHoldersRunTogetherAndExcludeAnExclusiveOne() {
        String both =
                "touch reader-$0; while [ ! -e reader-1 ] || [ ! -e reader-2 ] || [ ! -e go ]; do sleep 0.05; done";
        try (Spawned one = Spawned.holdfast(folder, store, "run", "x", "--shared", "--", "sh", "-c", both, "1");
                Spawned two = Spawned.holdfast(folder, store, "run", "x", "--shared", "--", "sh", "-c", both, "2")) {
            await().atMost(TimeScale.patience())
                    .until(() -> Files.exists(folder.resolve("reader-1")) && Files.exists(folder.resolve("reader-2")));
            try (Spawned writer = Spawned.holdfast(folder, store, "run", "x", "--wait", "0s", "--", "true")) {
                assertThat(writer.exitCode()).isEqualTo(ExitCode.NOT_OBTAINED);
            }
            Files.createFile(folder.resolve("go"));
            assertThat(one.exitCode()).isZero();
            assertThat(two.exitCode()).isZero();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aScriptUnderRunAdmitsItselfInTheSameStore() {
        String inner = String.join(
                " ",
                Spawned.holdfastLine("admit", "resource").stream()
                        .map(word -> "'" + word + "'")
                        .toList());
        try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "sh", "-c", inner + " && echo admitted")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("admitted\n");
        }
    }

    /** U1-16: it waited for its own parent, named it as a stranger, and gave up after its wait. */
    @Test
    void aRunInsideARunOfTheSameLockIsToldSoAtOnce() {
        String inner = shell("run", "x", "--wait", "1h", "--", "touch", "ran");
        for (String script : List.of(inner, shell("run", "y", "--", "sh", "-c", inner))) {
            try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "sh", "-c", script)) {
                assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.NOT_OBTAINED);
                assertThat(run.err())
                        .contains("'x' is held by the holdfast run that this command is part of")
                        .hasLineCount(1);
            }
        }
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void runsInsideARunThatDoNotKeepTheLockFromThemAreRun() {
        String inner = shell("run", "x", "--shared", "--", "echo", "shared") + " && "
                + shell("run", "y", "--", "echo", "other name") + " && "
                + shell("run", "x", "--namespace", "n", "--", "echo", "other namespace");
        try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--shared", "--", "sh", "-c", inner)) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("shared\nother name\nother namespace\n");
        }
    }

    /** U1-18: a lock that is held tells who holds it, since when and with what. */
    @Test
    void withoutALabelTheUserAndTheCommandAreShown() {
        String user = System.getProperty("user.name");
        try (Spawned run = Spawned.holdfast(
                folder, store, "run", "x", "--", "sh", "-c", shell("show", "x", "--json") + "; : geheim")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out())
                    .contains("\"label\":\"" + user + ": sh\"", "\"since\":\"20")
                    .doesNotContain("geheim");
        }
        try (Spawned run = Spawned.holdfast(
                folder, store, "run", "x", "--label", "nightly", "--", "sh", "-c", shell("show", "x", "--json"))) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("\"label\":\"nightly\"");
        }
    }

    /** The words that call the command, for a shell. */
    private static String shell(String... args) {
        return Spawned.holdfastLine(args).stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private void assertFree(String name) {
        try (Holdfast holdfast = Holdfast.open(store)) {
            assertThat(holdfast.mutex(name).tryAcquire(LockOptions.defaults().ttl(Duration.ofSeconds(5))))
                    .as("'%s' is free", name)
                    .hasValueSatisfying(Lease::release);
        }
    }
}
