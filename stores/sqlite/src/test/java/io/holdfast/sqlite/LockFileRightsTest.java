package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.tck.ContractClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a lock file may be, and who may touch it. */
final class LockFileRightsTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void whatIsCreatedBelongsToItsOwnerOnly() throws Exception {
        Path home = folder.resolve("state/holdfast");
        Path file = home.resolve("locks.db");
        try (EmbeddedLockStore store = new Lockfile(file).open()) {
            new ContractClient(store).granted(exclusive("job"));

            assertThat(rights(folder.resolve("state"))).isEqualTo("rwx------");
            assertThat(rights(home)).isEqualTo("rwx------");
            try (Stream<Path> files = Files.list(home)) {
                List<Path> found = files.sorted().toList();
                assertThat(found)
                        .extracting(path -> path.getFileName().toString())
                        .containsExactly("locks.db", "locks.db-shm", "locks.db-wal");
                assertThat(found).allSatisfy(path -> assertThat(rights(path)).isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void rightsThatAnAdministratorGaveToAGroupAreKept() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        file.open().close();
        Files.setPosixFilePermissions(file.path, PosixFilePermissions.fromString("rw-rw----"));

        try (EmbeddedLockStore store = file.open()) {
            new ContractClient(store).granted(exclusive("job"));
            assertThat(rights(Path.of(file.path + "-wal"))).isEqualTo("rw-rw----");
        }
    }

    @Test
    void aFileThatEverybodyMayWriteIsRefused() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        file.open().close();
        Files.setPosixFilePermissions(file.path, PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThatThrownBy(file::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.path.toString())
                .hasMessageContaining("chmod o-w");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "cifs",
                "smb3",
                "9p",
                "fuse.sshfs",
                "fuse",
                "virtiofs",
                "ceph",
                "gfs2",
                "panfs",
                "wekafs",
                "cvfs"
            })
    void aFileSystemOfOtherMachinesIsRefusedAndNothingIsCreated(String type) {
        Path file = folder.resolve("new/locks.db");

        assertThatThrownBy(() -> openOn(type, file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(type)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("local disk");
        assertThat(folder.resolve("new")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "fuseblk"})
    void aFileSystemOfThisMachineIsAccepted(String type) throws Exception {
        try (EmbeddedLockStore store = openOn(type, folder.resolve("locks.db"))) {
            new ContractClient(store).granted(exclusive("job"));
        }
    }

    @Test
    void aFileThatMayNotBeWrittenIsNamedWithTheRemedy() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        file.open().close();
        boolean root = "root".equals(System.getProperty("user.name"));
        if (root) { // to whom rights mean nothing
            assumeTrue(run("chattr", "+i", file.path.toString()) == 0, "this file system has no immutable files");
        } else {
            Files.setPosixFilePermissions(file.path, PosixFilePermissions.fromString("r--------"));
        }
        try {
            assertThatThrownBy(file::open)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(file.path.toString())
                    .hasMessageContaining("cannot be read and written")
                    .hasMessageContaining("rights")
                    .hasMessageNotContaining("\n");
        } finally {
            if (root) {
                run("chattr", "-i", file.path.toString());
            }
        }
        try (EmbeddedLockStore store = root ? file.open() : chmodAndOpen(file)) {
            new ContractClient(store).granted(exclusive("job"));
        }
    }

    @Test
    void aFileThatCannotBeCreatedIsNamedWithTheRemedy() {
        assertThatThrownBy(() -> new Lockfile(Path.of("/proc/holdfast/locks.db")).open())
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining("/proc/holdfast/locks.db")
                .hasMessageContaining("created");
    }

    private static EmbeddedLockStore chmodAndOpen(Lockfile file) throws IOException {
        Files.setPosixFilePermissions(file.path, PosixFilePermissions.fromString("rw-------"));
        return file.open();
    }

    private EmbeddedLockStore openOn(String type, Path file) {
        Lockfile lockfile = new Lockfile(file);
        return EmbeddedStoreProvider.open(
                file,
                new NameSpace(""),
                StoreInfo.of("embedded", file.toString()),
                new SteeredClock(lockfile.time),
                new SqliteFiles(existing -> type));
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}
