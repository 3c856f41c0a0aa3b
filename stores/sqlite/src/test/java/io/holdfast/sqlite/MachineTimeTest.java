package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases are counted on the clock that all processes of one boot share, and on nothing else. */
@Tag("quick")
final class MachineTimeTest {
    @TempDir
    Path folder = Path.of("");

    private Lockfile file = new Lockfile(Path.of(""));

    @BeforeEach
    void place() {
        file = new Lockfile(folder.resolve("locks.db"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"P10000D", "-P10000D", "PT1H", "-PT1H"})
    void aStepOfTheWallClockNeitherEndsNorProlongsALease(String step) throws Exception {
        try (EmbeddedLockStore a = file.open();
                EmbeddedLockStore b = file.open()) {
            Claim held = exclusive("job").ttl(Duration.ofSeconds(10)).claim();
            long token = new ContractClient(a).granted(held).token();

            file.time.stepWallClock(Duration.parse(step));

            new ContractClient(b).refused(exclusive("job"));
            new ContractClient(a).renewed(held);
            file.time.elapse(Duration.ofSeconds(11));
            assertThat(new ContractClient(b).granted(exclusive("job")).token()).isGreaterThan(token);
        }
    }

    @Test
    void leasesOfAnotherBootAreVoidAndTokensGoOn() throws Exception {
        long token;
        try (EmbeddedLockStore before = file.open()) {
            ContractClient client = new ContractClient(before);
            token = client.granted(exclusive("job").lockDelay(Duration.ofDays(1)))
                    .token();
            client.granted(shared("data"));
        }
        SteeredClock rebooted =
                new SteeredClock(file.time).boot("second boot").offset(Duration.ofNanos(-file.time.nanos()));

        try (EmbeddedLockStore after = file.open("", rebooted)) {
            ContractClient client = new ContractClient(after);
            assertThat(client.names("", 10)).isEmpty();
            assertThat(client.granted(exclusive("job")).token()).isGreaterThan(token);
            client.granted(exclusive("data"));
        }
    }

    @Test
    void tokensDoNotGoBackWithTheWallClockOverABoot() throws Exception {
        long token;
        try (EmbeddedLockStore before = file.open()) {
            token = new ContractClient(before).granted(exclusive("job")).token();
        }
        file.time.stepWallClock(Duration.ofDays(-365));
        try (EmbeddedLockStore after = file.open("", new SteeredClock(file.time).boot("second boot"))) {
            assertThat(new ContractClient(after).granted(exclusive("job")).token())
                    .isGreaterThan(token);
        }
    }

    @Test
    void aProcessOfAnotherTimeNamespaceIsRefused() {
        file.open().close();
        refused(new SteeredClock(file.time).origin("time:[4026532999]"), "time:[4026532999]");
    }

    @Test
    void aProcessWhoseClockIsBehindIsRefused() {
        file.open().close();
        refused(new SteeredClock(file.time).offset(Duration.ofSeconds(-5)), "another monotonic clock");
    }

    @Test
    void aProcessWhoseClockIsAheadIsRefused() {
        SteeredClock machine = new SteeredClock(file.time).suspended(Duration.ofMinutes(5));
        file.open("", machine).close();
        refused(
                new SteeredClock(file.time).suspended(Duration.ofMinutes(5)).offset(Duration.ofMinutes(2)),
                "another monotonic clock");
    }

    @Test
    void aMachineThatSleptIsTheSameMachine() throws Exception {
        file.open().close();
        SteeredClock woken = new SteeredClock(file.time).suspended(Duration.ofHours(8));
        try (EmbeddedLockStore store = file.open("", woken)) {
            new ContractClient(store).granted(exclusive("job"));
        }
        file.open("", woken).close();
    }

    @Test
    void aProcessThatIsHeldUpWhileItReadsItsClocksIsOfThisMachine() {
        SteeredClock slow = new SteeredClock(file.time) {
            @Override
            public long uptimeNanos() {
                long uptime = super.uptimeNanos();
                file.time.elapse(Duration.ofSeconds(5));
                return uptime;
            }
        };
        for (int i = 0; i < 2; i++) {
            file.open("", slow).close();
            file.open().close();
        }
        SteeredClock slowBefore = new SteeredClock(file.time) {
            @Override
            public long uptimeNanos() {
                file.time.elapse(Duration.ofSeconds(5));
                return super.uptimeNanos();
            }
        };
        for (int i = 0; i < 2; i++) {
            file.open("", slowBefore).close();
            file.open().close();
        }
    }

    @Test
    void theRealClockIsTheMachines() {
        MachineClock clock = MachineClock.system();
        assertThat(clock.bootId()).hasSize(36);
        assertThat(clock.nanos()).isPositive().isLessThanOrEqualTo(clock.uptimeNanos() + 1_000_000_000);
    }

    @Test
    void aClockThatRunsAheadOfTheMachineIsRefused() throws Exception {
        Path proc = proc();
        Files.createDirectories(proc.resolve("thread-self"));
        Files.writeString(
                proc.resolve("thread-self/stat"), "17 (a ) thread) R" + " 0".repeat(18) + " 50" + " 0".repeat(30));

        assertThatThrownBy(() -> new MachineClock.Linux(proc))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("monotonic clock of its own");
    }

    /** lxcfs shows the time since the container started; the clocks are the machine's (B6). */
    @Test
    void anUptimeOfAContainersOwnDoesNotMatter() throws Exception {
        Path proc = proc();
        Files.writeString(proc.resolve("uptime"), "0.50 0.25\n");
        Files.createSymbolicLink(proc.resolve("thread-self"), Path.of("/proc/thread-self"));

        MachineClock clock = new MachineClock.Linux(proc);

        assertThat(clock.nanos()).isPositive().isLessThanOrEqualTo(clock.uptimeNanos() + 1_000_000_000);
    }

    @Test
    void theUptimeIsTheKernelsAndMovesOn() throws Exception {
        MachineClock clock = MachineClock.system();
        long before = clock.uptimeNanos();
        String shown = Files.readString(Path.of("/proc/uptime"));
        long after = clock.uptimeNanos();
        assumeTrue(
                !Files.readString(Path.of("/proc/self/mountinfo")).contains(" /proc/uptime "),
                "lxcfs hides the kernel's");

        assertThat(after).isGreaterThanOrEqualTo(before);
        // Both are cut to hundredths of a second.
        assertThat(Double.parseDouble(shown.substring(0, shown.indexOf(' '))) * 1e9)
                .isBetween(before - 2e7, after + 2e7);
    }

    @Test
    void aProcessInAContainerWithAnUptimeOfItsOwnSharesTheFileWithTheHost() throws Exception {
        Path uptime = Files.writeString(folder.resolve("uptime"), "0.50 0.25\n");
        try (EmbeddedLockStore host = file.openReal();
                ChildJvm container = Mounts.childWith(
                        uptime, Path.of("/proc/uptime"), OpeningProcess.class, "sqlite:" + file.path, "job")) {
            assertThat(container.line()).startsWith("granted ");
            new ContractClient(host).refused(exclusive("job"));
        }
    }

    private Path proc() throws IOException {
        Path proc = folder.resolve("proc");
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "a-boot\n");
        return proc;
    }

    @Test
    void aSystemThatDoesNotTellItsBootIsRefused() {
        assertThatThrownBy(() -> new MachineClock.Linux(folder.resolve("none")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("needs Linux");
    }

    private void refused(MachineClock clock, String because) {
        assertThatThrownBy(() -> file.open("", clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.path.toString())
                .hasMessageContaining(because)
                .hasMessageContaining("one time namespace");
    }
}
