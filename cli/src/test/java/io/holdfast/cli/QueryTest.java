package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Sequencer;
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
            assertThat(lines).hasSize(3);
            assertThat(lines[0]).startsWith("LOCK").contains("STATE", "HELD BY", "TOKEN", "STORE");
            assertThat(lines[1])
                    .startsWith("stock:1 ")
                    .contains(pid(), "tester", "importer", "exclusive", Long.toString(one.token()), file.toString());
            assertThat(lines[2]).startsWith("stock:22 ").contains("shared", Long.toString(two.token()));
            int column = lines[0].indexOf("STATE");
            assertThat(lines[1].substring(column)).startsWith("held ");
            assertThat(lines[2].substring(column)).startsWith("held ");
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
                    .contains("\"state\":\"held\"", token, "\"ttlMillis\":30000", "\"lastToken\":\"" + lease.token());
        }
        assertThat(call("show", "free", "--json").out()).contains("\"state\":\"free\"", "\"holders\":[]");
    }

    @Test
    void showNamesHolderAndStore() throws InterruptedException {
        try (Lease lease = holdfast.mutex("x").acquire(LockOptions.defaults().label("importer"))) {
            assertThat(call("show", "x").out())
                    .contains(
                            "held by", pid(), "tester", "importer", "token " + lease.token(), "in " + holdfast.store());
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
        assertThat(release.out()).contains("nobody holds 'x'");
    }

    @Test
    void checkTellsValidFromStaleFromUnknown() throws InterruptedException {
        Sequencer sequencer;
        try (Lease lease = holdfast.mutex("x").acquire()) {
            sequencer = lease.sequencer();
            Invocation valid = call("check", sequencer.text());
            assertThat(valid.exitCode()).as(valid.err()).isZero();
            assertThat(valid.out()).startsWith("valid: token " + lease.token());
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
    void storesListsWhatIsOnTheClassPath() {
        Invocation stores = Invocation.of("stores");
        assertThat(stores.exitCode()).isZero();
        assertThat(stores.out())
                .containsPattern("sqlite +yes +holdfast-jdbc")
                .containsPattern("memory +yes +holdfast-memory")
                .containsPattern("zk +no +holdfast-zookeeper");
        assertThat(Invocation.of("stores", "--json").out()).contains("\"scheme\":\"sqlite\"", "\"onClassPath\":true");
    }

    @Test
    void everyCommandTeachesWithExamples() {
        assertThat(Invocation.of("--help").out()).contains("Examples:");
        for (String command :
                new String[] {"run", "ls", "show", "watch", "release", "check", "admit", "stores", "bench", "version"
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
