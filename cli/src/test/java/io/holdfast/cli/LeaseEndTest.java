package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.cli.input.ExitCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command has ended before its lease ends, whatever happens to the lease. */
class LeaseEndTest {
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
    void aRevokedHolderIsTermedThenKilledBeforeTheLockOpens() {
        try (Spawned first = run(beats.stubborn("A"))) {
            beats.awaitLine("A beat");
            try (Spawned second = run(beats.brief("B"))) {
                second.awaitErr("waiting");
                Invocation release = Invocation.of("release", "--store", store, "x", "--force", "--yes");
                assertThat(release.exitCode()).as(release.err()).isZero();
                assertThat(release.out()).contains("revoked 'x', which opens in");
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
            assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.LEASE_LOST);
            assertThat(first.err()).contains("an operator revoked it", "stopping the command");
        }
        assertThat(beats.lines()).contains("A term");
        beats.assertNoOverlap("A", "B");
    }

    @Test
    void aLockThatWasOpenedAtOnceStopsTheOldHolderSoon() throws InterruptedException {
        try (Spawned first = run(beats.stubborn("A"))) {
            beats.awaitLine("A beat");
            Invocation release = Invocation.of("release", "--store", store, "x", "--force", "--yes", "--now");
            assertThat(release.exitCode()).as(release.err()).isZero();
            assertThat(release.out()).contains("open now");
            assertThat(release.err()).contains("only fencing protects");
            try (Holdfast holdfast = Holdfast.open(store);
                    Lease lease = holdfast.mutex("x").acquire(LockOptions.waitUpTo(TTL.dividedBy(3)))) {
                assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.LEASE_LOST);
                lease.ensureValid();
            }
        }
        assertThat(beats.lines()).contains("A term");
        beats.assertSilent("A");
    }

    @Test
    void aCommandWhoseLockWasOpenedIsKilledLongBeforeItsOldLeaseWouldHaveEnded() {
        // The lease is known for 40 s more when the holder hears of its loss, and the command does not obey TERM.
        try (Spawned first =
                Spawned.holdfast(folder, store, "run", "x", "--ttl", "60s", "--", "sh", "-c", beats.stubborn("A"))) {
            beats.awaitLine("A beat");
            Invocation release = Invocation.of("release", "--store", store, "x", "--force", "--yes", "--now");
            assertThat(release.exitCode()).as(release.err()).isZero();
            // Another holder, so that the record of the old one is not there any more.
            try (Spawned second = run(beats.brief("B"))) {
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
            await().atMost(TimeScale.patience()).untilAsserted(() -> beats.awaitLine("A term"));
            long term = System.nanoTime();
            assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.LEASE_LOST);
            assertThat(Duration.ofNanos(System.nanoTime() - term)).isLessThan(TimeScale.seconds(25));
        }
    }

    @Test
    void aStoreThatDoesNotRenewIsWarnedOfAndStopsTheCommandInTime() throws SQLException {
        try (Spawned first = run(beats.stubborn("A"))) {
            beats.awaitLine("A beat");
            try (Connection blocker = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("locks.db"));
                    Statement statement = blocker.createStatement()) {
                statement.execute("PRAGMA busy_timeout = 5000");
                statement.execute("BEGIN IMMEDIATE");
                long start = System.nanoTime();
                await().atMost(TimeScale.patience())
                        .untilAsserted(() -> assertThat(beats.lines()).contains("A term"));
                first.awaitErr("jeopardy").awaitErr("stopping the command");
                await().atMost(TimeScale.patience()).until(() -> beatsHaveEnded(first));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TTL);
                statement.execute("ROLLBACK");
            }
            assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.LEASE_LOST);
        }
        beats.assertSilent("A");
    }

    /** Only the JVM is left of the wrapper's processes. */
    private static boolean beatsHaveEnded(Spawned run) {
        return run.process().descendants().noneMatch(ProcessHandle::isAlive);
    }

    private Spawned run(String script) {
        return Spawned.holdfast(
                folder, store, "run", "x", "--ttl", TimeScale.option(TTL), "--wait", "1m", "--", "sh", "-c", script);
    }
}
