package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which store a command works on, called from other folders, with another home, and with mistakes in scripts. */
class StoreChoiceTest {
    @TempDir
    Path folder;

    @Test
    void twoFoldersAndOneTildeAreOneLock() throws IOException {
        Path home = Files.createDirectories(folder.resolve("a home"));
        Path one = Files.createDirectories(folder.resolve("one"));
        Path two = Files.createDirectories(folder.resolve("two"));
        Map<String, String> environment = Map.of("HOME", home.toString(), Holdfast.STORE_VARIABLE, "sqlite:~/locks.db");
        String script = "echo \"$HOLDFAST_STORE\"; touch in; until [ -e go ]; do sleep 0.05; done";
        try (Spawned first = Spawned.start(one, environment, run("same", "sh", "-c", script))) {
            await().atMost(TimeScale.patience()).until(() -> Files.exists(one.resolve("in")));
            try (Spawned second = Spawned.start(two, environment, run("same", "true"))) {
                assertThat(second.exitCode()).as(second.err()).isEqualTo(ExitCode.NOT_OBTAINED);
            }
            Files.createFile(one.resolve("go"));
            assertThat(first.exitCode()).as(first.err()).isZero();
            assertThat(first.out()).isEqualTo("sqlite:" + home.resolve("locks.db") + "\n");
        }
        assertThat(one.resolve("~")).doesNotExist();
    }

    @Test
    void theEmbeddedStoreLiesInTheHomeOfTheEnvironment() throws IOException {
        Path home = Files.createDirectories(folder.resolve("a home"));
        Map<String, String> environment = Map.of("HOME", home.toString(), "XDG_STATE_HOME", "");
        try (Spawned run = Spawned.start(folder, environment, run("x", "sh", "-c", "echo \"$HOLDFAST_STORE\""))) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            Path file = home.resolve(".local/state/holdfast/locks.db");
            assertThat(run.out()).isEqualTo("sqlite:" + file + "\n");
            assertThat(file).exists();
        }
    }

    /** U1-10: on a machine where nothing was locked yet, to look is no error and leaves nothing. */
    @Test
    void lookingBeforeTheFirstLockCreatesNothing() {
        Path home = folder.resolve("a home");
        Map<String, String> environment = Map.of("HOME", home.toString(), "XDG_STATE_HOME", "");
        try (Spawned ls = Spawned.start(folder, environment, Spawned.holdfastLine("ls"));
                Spawned show = Spawned.start(folder, environment, Spawned.holdfastLine("show", "x"))) {
            assertThat(ls.exitCode()).as(ls.err()).isZero();
            assertThat(ls.out()).contains("no lock is held, in sqlite:" + home);
            assertThat(show.exitCode()).as(show.err()).isZero();
            assertThat(show.out()).contains("free");
        }
        assertThat(home).doesNotExist();
    }

    /** U1-8: Java says "?" for the home of a user that the user database does not know. */
    @Test
    void aUserWithoutAHomeIsToldWhatToDo() {
        List<String> line = new ArrayList<>(Spawned.holdfastLine("run", "x", "--", "true"));
        line.add(line.indexOf("-cp"), "-Duser.home=?");
        Map<String, String> homeless = Map.of("HOME", "", "XDG_STATE_HOME", "");
        try (Spawned run = Spawned.start(folder, homeless, line)) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err())
                    .contains("this user has none: set HOME, or give the file as --store")
                    .hasLineCount(1);
        }
        try (Spawned run = Spawned.start(folder, Map.of("HOME", folder.toString(), "XDG_STATE_HOME", ""), line)) {
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
        assertThat(folder.resolve(".local/state/holdfast/locks.db")).exists();
    }

    @Test
    void anEmptyStoreIsAMistakeAndNotThePrivateStore() {
        Map<String, String> remote = Map.of(Holdfast.STORE_VARIABLE, "redis://localhost:1");
        List<String> line = Spawned.holdfastLine("run", "x", "--store", "", "--", "touch", "ran");
        try (Spawned run = Spawned.start(folder, remote, line)) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("--store is empty");
        }
        try (Spawned run = Spawned.start(folder, Map.of(Holdfast.STORE_VARIABLE, ""), run("x", "touch", "ran"))) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("$HOLDFAST_STORE is empty");
        }
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void watchEndsWhenItsReaderHasGone() {
        String store = "sqlite:" + folder.resolve("locks.db");
        try (Spawned first = Spawned.holdfast(folder, store, "run", "x", "--", "true")) {
            assertThat(first.exitCode()).as(first.err()).isZero();
        }
        String watch = String.join(
                " ",
                Spawned.holdfastLine("watch", "--interval", "50ms").stream()
                        .map(word -> "'" + word + "'")
                        .toList());
        try (Spawned piped = Spawned.start(
                folder,
                Map.of(Holdfast.STORE_VARIABLE, store),
                List.of("sh", "-c", "{ " + watch + "; echo ended >&2; } | head -n 1"))) {
            await().atMost(TimeScale.patience()).until(() -> {
                try (Spawned run = Spawned.holdfast(folder, store, "run", "x", "--", "sleep", "0.2")) {
                    assertThat(run.exitCode()).as(run.err()).isZero();
                }
                return piped.err().contains("ended");
            });
            assertThat(piped.exitCode()).isZero();
            assertThat(piped.out()).contains("granted").hasLineCount(1);
        }
    }

    private static List<String> run(String name, String... command) {
        String[] args = new String[5 + command.length];
        System.arraycopy(new String[] {"run", name, "--wait", "0", "--"}, 0, args, 0, 5);
        System.arraycopy(command, 0, args, 5, command.length);
        return Spawned.holdfastLine(args);
    }
}
