package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file grows with the locks that are held, not with those that ever were. */
@Tag("slow")
final class BoundedFileTest {
    @TempDir
    Path folder = Path.of("");

    private Lockfile file = new Lockfile(Path.of(""));

    @BeforeEach
    void place() {
        file = new Lockfile(folder.resolve("locks.db"));
    }

    @Test
    void aHundredThousandNamesLeaveNoMoreThanTheLastFew() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            Claim kept = exclusive("kept").ttl(Duration.ofHours(1)).claim();
            client.granted(kept);
            for (int i = 0; i < 100_000; i++) {
                Claim claim = exclusive("job-" + i).claim();
                client.granted(claim);
                client.released(claim);
                file.time.elapse(Duration.ofMillis(1));
            }
            client.renewed(kept);
        }
        assertThat(file.number("SELECT count(*) FROM holdfast_lock")).isLessThan(2L * Sweeper.PART);
        assertThat(file.number("SELECT count(*) FROM holdfast_bucket")).isLessThanOrEqualTo(LeaseRows.BUCKETS);
        assertThat(file.number("SELECT count(*) FROM holdfast_tombstone")).isZero();
        assertThat(Files.size(file.path)).isLessThan(1_000_000);
    }

    /** A process that adds one row sweeps with a chance of 1 in {@link Sweeper#EVERY}; 16 times as many are started. */
    @Test
    void storesThatAddOneRowEachSweepTheRowsOfTheOthers() throws Exception {
        int opened = 0;
        long rows = 0;
        for (; opened < 16 * Sweeper.EVERY && rows == opened; opened++) {
            try (EmbeddedLockStore store = file.open()) {
                ContractClient client = new ContractClient(store);
                Claim claim = exclusive("job-" + opened).claim();
                client.granted(claim);
                client.released(claim);
                file.time.elapse(Duration.ofSeconds(20));
            }
            rows = file.number("SELECT count(*) FROM holdfast_lock") - 1;
        }
        assertThat(rows).isLessThan(opened);
    }

    /** Identity hash codes, from which the count once started, are the same in every start of the same program. */
    @Test
    void everyStartOfTheSameProgramBeginsToCountElsewhere() throws Exception {
        Set<String> begins = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            try (ChildJvm child = new ChildJvm(OpeningProcess.class, "sqlite:" + file.path, "job-" + i)) {
                begins.add(String.valueOf(child.line()));
            }
        }
        assertThat(begins).allMatch(line -> line.startsWith("granted ")).hasSizeGreaterThan(1);
    }

    @Test
    void notesOfClientsThatWaitAreSwept() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            client.granted(exclusive("job"));
            client.refused(exclusive("job").by("patient").pausing(Duration.ofMillis(300)));
            assertThat(file.number("SELECT count(*) FROM holdfast_note")).isEqualTo(1);
            file.time.elapse(Duration.ofSeconds(3));
            sweepAll(client);
            assertThat(file.number("SELECT count(*) FROM holdfast_note")).isZero();
        }
    }

    @Test
    void tokensDoNotGoBackWhenTheRowOfANameWasSwept() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            Claim first = exclusive("job").claim();
            Granted before = client.granted(first);
            client.released(first);
            sweepAll(client);
            assertThat(file.number("SELECT count(*) FROM holdfast_lock WHERE name = 'job'"))
                    .isZero();
            file.time.stepWallClock(Duration.ofDays(-1));

            assertThat(client.status("job").lastToken()).isGreaterThanOrEqualTo(before.token());
            assertThat(client.granted(exclusive("job")).token()).isGreaterThan(before.token());
        }
    }

    @Test
    void sharesThatRanOutAndTombstonesAreSweptAndWhatIsHeldStays() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            Claim held = shared("data").ttl(Duration.ofHours(1)).claim();
            client.granted(held);
            for (int i = 0; i < 100; i++) {
                client.granted(shared("data").ttl(Duration.ofSeconds(1)));
                client.granted(exclusive("lost-" + i).ttl(Duration.ofSeconds(1)));
                client.notHeld(exclusive("data").claim());
            }
            file.time.elapse(Duration.ofSeconds(12));
            sweepAll(client);

            assertThat(file.number("SELECT count(*) FROM holdfast_share")).isEqualTo(1);
            assertThat(file.number("SELECT count(*) FROM holdfast_tombstone")).isZero();
            assertThat(file.number("SELECT count(*) FROM holdfast_lock WHERE name LIKE 'lost%'"))
                    .isZero();
            client.renewed(held);
        }
    }

    @Test
    void tenThousandLeasesAreRenewedInOneCallThatCostsLittle() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                Claim claim = exclusive("job-" + i).claim();
                client.granted(claim);
                claims.add(claim);
            }
            long before =
                    java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            for (int tick = 0; tick < 3; tick++) {
                file.time.elapse(Duration.ofSeconds(10));
                assertThat(ContractClient.answer(store.renew(claims)))
                        .hasSize(10_000)
                        .allMatch(io.holdfast.spi.RenewResult.Renewed.class::isInstance);
            }
            long nanos =
                    java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
            assertThat(Duration.ofNanos(nanos))
                    .as("CPU time of three ticks, which are 10 s apart: 5 % of a core")
                    .isLessThan(Duration.ofMillis(1500));
        }
    }

    /** Adds rows until every part of the file was looked at. */
    private static void sweepAll(ContractClient client) throws InterruptedException {
        for (int i = 0; i < 4 * Sweeper.EVERY; i++) {
            Claim claim = exclusive("zzz").claim();
            client.granted(claim);
            client.released(claim);
        }
    }
}
