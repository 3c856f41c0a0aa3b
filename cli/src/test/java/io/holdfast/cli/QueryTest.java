package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Sequencer;
import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the commands that look at locks print, and how they exit. */
class QueryTest {
    @TempDir
    Path folder;

    private Path file = Path.of("");
    private Holdfast holdfast = Holdfast.open("memory:");

    @BeforeEach
    void openAStore() {
        holdfast.close();
        file = folder.resolve("locks.db");
        holdfast = Holdfast.builder().url("sqlite:" + file).label("tester").open();
    }

    @AfterEach
    void closeTheStore() {
        holdfast.close();
    }

    @Test
    void lsListsHoldersInAlignedColumns() throws InterruptedException {
        try (Lease one =
                        holdfast.mutex("stock:1").acquire(LockOptions.defaults().label("importer"));
                Lease two = holdfast.readWriteLock("stock:22").readLock().acquire()) {
            Invocation ls = call("ls", "stock:");
            assertThat(ls.exitCode()).as(ls.err()).isZero();
            String[] lines = ls.out().split("\n");
            assertThat(lines).hasSize(4);
            assertThat(lines[0]).isEqualTo("in sqlite:" + file);
            assertThat(lines[1]).startsWith("LOCK").contains("STATE", "HELD BY", "HELD FOR", "TOKEN");
            assertThat(lines[2])
                    .startsWith("stock:1 ")
                    .contains(pid(), "tester", "importer", "exclusive", Long.toString(one.token()));
            assertThat(lines[3]).startsWith("stock:22 ").contains("shared", Long.toString(two.token()));
            int column = lines[1].indexOf("STATE");
            assertThat(lines[2].substring(column)).startsWith("held ");
            assertThat(lines[3].substring(column)).startsWith("held ");
            int age = lines[1].indexOf("HELD FOR");
            assertThat(lines[2].substring(age)).matches("[0-9.]+m?s .*");
            int waiting = lines[1].indexOf("WAITING");
            assertThat(lines[2].substring(waiting)).as("unknown here").startsWith("- ");
            assertThat(ls.out()).doesNotContain("\u001b");
        }
        assertThat(call("ls", "stock:").out()).contains("no lock that begins with 'stock:' is held");
    }

    @Test
    void jsonCarriesTokensAsStrings() throws InterruptedException {
        try (Lease lease = holdfast.mutex("say \"hi\"\\").acquire()) {
            String token = "\"token\":\"" + lease.token() + "\"";
            assertThat(call("ls", "--json").out())
                    .startsWith("{\"store\":")
                    .contains("\"lock\":\"say \\\"hi\\\"\\\\\"", token, "\"mode\":\"exclusive\"")
                    .hasLineCount(1);
            assertThat(call("show", "say \"hi\"\\", "--json").out())
                    .contains(
                            "\"state\":\"held\"",
                            token,
                            "\"ttlMillis\":30000",
                            "\"since\":\"20",
                            "\"lastToken\":\"" + lease.token());
        }
        assertThat(call("show", "free", "--json").out()).contains("\"state\":\"free\"", "\"holders\":[]");
    }

    @Test
    void jsonTellsHostProcessAndLabelApart() throws InterruptedException {
        String process = "\"pid\":" + ProcessHandle.current().pid() + ",";
        try (Lease lease = holdfast.mutex("x").acquire(LockOptions.defaults().label("importer"))) {
            assertThat(call("show", "x", "--json").out())
                    .contains(process, "\"label\":\"tester (importer)\"", "\"host\":\"", "\"namespace\":\"\"")
                    .doesNotContain("\"waiting\"");
            lease.ensureValid();
        }
        try (Holdfast nameless = Holdfast.open("sqlite:" + file);
                Lease lease = nameless.mutex("x").acquire(LockOptions.defaults().label("only this"))) {
            assertThat(call("show", "x", "--json").out()).contains(process, "\"label\":\"only this\"");
            lease.ensureValid();
        }
    }

    /** U1-10: a typo in monitoring was an empty answer, and folders and a file that had not been there. */
    @Test
    void lookingAtAFileThatDoesNotExistIsAnErrorAndCreatesNothing() {
        Path missing = folder.resolve("typo/locks.db");
        for (String[] words : new String[][] {{"ls"}, {"show", "x"}, {"watch", "--for", "1s"}}) {
            String[] all = java.util.Arrays.copyOf(words, words.length + 2);
            all[words.length] = "--store";
            all[words.length + 1] = "sqlite:" + missing;
            Invocation look = Invocation.of(all);
            assertThat(look.exitCode()).as(words[0]).isEqualTo(ExitCode.USAGE);
            assertThat(look.err())
                    .contains("the lock file " + missing + " does not exist")
                    .hasLineCount(1);
        }
        assertThat(missing.getParent()).doesNotExist();
    }

    @Test
    void lookingAtAFileWithoutOurTablesIsAnErrorAndWritesNothing() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.db"));
        Invocation look = Invocation.of("ls", "--store", "sqlite:" + empty);
        assertThat(look.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(empty).isEmptyFile();
    }

    /** U1-19. */
    @Test
    void namespacesAreNamed() throws InterruptedException {
        try (Holdfast billing = Holdfast.builder()
                        .url("sqlite:" + file)
                        .namespace("billing")
                        .open();
                Lease lease = billing.mutex("x").acquire()) {
            assertThat(call("ls").out()).contains("no lock is held", "--namespace");
            assertThat(call("ls", "--namespace", "biling").out()).contains("no lock is held", "namespace 'biling'");
            assertThat(call("ls", "--namespace", "billing").out())
                    .startsWith("in sqlite:" + file + ", namespace 'billing'\n")
                    .contains(Long.toString(lease.token()));
            assertThat(call("ls", "--namespace", "billing", "--json").out()).contains("\"namespace\":\"billing\"");
            assertThat(call("show", "x", "--namespace", "billing").out()).contains("namespace   billing");
            assertThat(call("release", "x", "--namespace", "billing", "--force").out())
                    .contains("revoked 'x'", "namespace 'billing'");
        }
    }

    @Test
    void helpOfACommandIsFoundBothWays() {
        assertThat(Invocation.of("help", "run").out())
                .isEqualTo(Invocation.of("run", "--help").out());
        assertThat(Invocation.of("help", "rnu").err()).contains("did you mean run");
    }

    @Test
    void bashCompletesCommandsAndOptions() throws IOException, InterruptedException {
        Path script = Files.writeString(
                folder.resolve("completion"), Invocation.of("completion").out());
        assertThat(complete(script, "rel")).isEqualTo("release");
        assertThat(complete(script, "run", "--lock")).isEqualTo("--lock-delay");
    }

    private static String complete(Path script, String... words) throws IOException, InterruptedException {
        String line = "source '" + script + "'; COMP_WORDS=(holdfast " + String.join(" ", words) + "); COMP_CWORD="
                + words.length + "; COMP_LINE=\"${COMP_WORDS[*]}\"; COMP_POINT=${#COMP_LINE};"
                + " _complete_holdfast; echo \"${COMPREPLY[*]}\"";
        Process bash = new ProcessBuilder("bash", "-c", line).start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).isZero();
        return out.strip();
    }

    @Test
    void showNamesHolderAndStore() throws InterruptedException {
        try (Lease lease = holdfast.mutex("x").acquire(LockOptions.defaults().label("importer"))) {
            assertThat(call("show", "x").out())
                    .contains(
                            "store       sqlite:" + file,
                            "held by",
                            pid(),
                            "tester",
                            "importer",
                            "token " + lease.token(),
                            "since 20");
        }
        assertThat(call("show", "x").out()).contains("free", "last token");
    }

    @Test
    void lockDelayIsShown() throws InterruptedException {
        holdfast.mutex("x").acquire(LockOptions.defaults().lockDelay(Duration.ofMinutes(5)));
        Invocation release = call("release", "x", "--force", "--yes", "--json");
        assertThat(release.out()).contains("\"revoked\":true", "\"opensInMillis\":3");
        assertThat(call("show", "x").out()).contains("held, revoked");
    }

    @Test
    void releaseOfAFreeLockSaysSo() {
        Invocation release = call("release", "x", "--force", "--yes");
        assertThat(release.exitCode()).isZero();
        assertThat(release.out()).contains("'x' is not held");
    }

    @Test
    void checkTellsValidFromStaleFromUnknown() throws InterruptedException {
        Sequencer sequencer;
        try (Lease lease = holdfast.mutex("x").acquire()) {
            sequencer = lease.sequencer();
            Invocation valid = call("check", sequencer.text());
            assertThat(valid.exitCode()).as(valid.err()).isZero();
            assertThat(valid.out()).startsWith("valid: token " + lease.token()).endsWith(", in sqlite:" + file + "\n");
        }
        Invocation stale = call("check", sequencer.text(), "--json");
        assertThat(stale.exitCode()).isEqualTo(ExitCode.STALE);
        assertThat(stale.out()).contains("\"result\":\"stale\"", "\"token\":\"" + sequencer.token() + "\"");
        Sequencer never = new Sequencer("x", sequencer.mode(), sequencer.token() + 1_000_000_000_000L);
        assertThat(call("check", never.text()).exitCode()).isEqualTo(ExitCode.UNKNOWN);
    }

    @Test
    void admitRefusesAStaleTokenAndKeepsTheMarkInTheStore() throws InterruptedException {
        Sequencer old;
        Sequencer current;
        try (Lease lease = holdfast.mutex("x").acquire()) {
            old = lease.sequencer();
        }
        try (Lease lease = holdfast.mutex("x").acquire()) {
            current = lease.sequencer();
        }
        assertThat(call("admit", "file", "--sequencer", old.text()).exitCode()).isZero();
        assertThat(call("admit", "file", "--sequencer", current.text()).exitCode())
                .isZero();
        assertThat(call("admit", "file", "--sequencer", current.text()).exitCode())
                .isZero();
        Invocation stale = call("admit", "file", "--sequencer", old.text());
        assertThat(stale.exitCode()).isEqualTo(ExitCode.STALE);
        assertThat(stale.err())
                .contains("'file'", Long.toString(old.token()), "stale")
                .hasLineCount(1);
        assertThat(call("admit", "file", "--sequencer", old.text(), "--json").out())
                .contains("\"admitted\":false", "\"seen\":\"" + current.token() + "\"");
        Sequencer other = new Sequencer("y", old.mode(), current.token() + 1);
        assertThat(call("admit", "file", "--sequencer", other.text()).exitCode())
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void watchPrintsWhatIsAndWhatChanges() throws InterruptedException {
        Lease before = holdfast.mutex("w:before").acquire();
        Thread changer = new Thread(() -> {
            before.release();
            holdfast.mutex("w:after").tryAcquire();
        });
        String length = TimeScale.option(TimeScale.seconds(2));
        changer.start();
        Invocation watch = call("watch", "w:", "--for", length, "--interval", "50ms");
        changer.join();
        assertThat(watch.exitCode()).as(watch.err()).isZero();
        assertThat(watch.out()).contains("granted", "w:after", "held by", pid(), file.toString());
    }

    @Test
    void namespacesAreApart() throws InterruptedException {
        try (Lease lease = holdfast.mutex("x").acquire()) {
            assertThat(call("show", "x", "--namespace", "elsewhere").out()).contains("free");
            assertThat(call("show", "x").out()).contains(Long.toString(lease.token()));
        }
    }

    @Test
    void storesListsWhatTheCommandCanOpen() {
        Invocation stores = Invocation.of("stores");
        assertThat(stores.exitCode()).isZero();
        assertThat(stores.out())
                .containsPattern("sqlite +holdfast-sqlite +sqlite:/")
                .containsPattern("memory +holdfast-memory +memory:");
        assertThat(Invocation.of("stores", "--json").out())
                .contains("\"scheme\":\"sqlite\"", "\"example\":\"sqlite:/var/lib/app/locks.db\"");
    }

    @Test
    void everyCommandTeachesWithExamples() {
        assertThat(Invocation.of("--help").out()).contains("Examples:");
        for (String command : new String[] {
            "run", "ls", "show", "watch", "release", "check", "admit", "stores", "completion", "bench", "version"
        }) {
            Invocation help = Invocation.of(command, "--help");
            assertThat(help.exitCode()).as(command).isZero();
            assertThat(help.out())
                    .as(command)
                    .contains("Usage: holdfast " + command, "Examples:", "  holdfast " + command);
        }
        assertThat(Invocation.of("version").out()).startsWith("holdfast ");
    }

    private Invocation call(String... args) {
        String[] all = new String[args.length + 2];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "--store";
        all[args.length + 1] = "sqlite:" + file;
        return Invocation.of(all);
    }

    private static String pid() {
        return ":" + ProcessHandle.current().pid();
    }
}
