package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.tck.ContractClient;
import io.holdfast.tck.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** U30: two paths to one lock file are one lock, or refused. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class SecondPathTest {
    @TempDir
    Path folder = Path.of("");

    private Lockfile file = new Lockfile(Path.of(""));

    @BeforeEach
    void place() {
        file = new Lockfile(folder.resolve("locks.db"));
    }

    @Test
    void aHardLinkToALockFileIsRefusedAndTheHolderIsNotHurt() throws Exception {
        Path second = folder.resolve("second.db");
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            var held = exclusive("job").claim();
            client.granted(held);
            Files.createLink(second, file.path);

            assertThatThrownBy(() -> new Lockfile(second).open())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(second.toString())
                    .hasMessageContaining("hard links")
                    .hasMessageNotContaining("\n");
            assertThat(folder.resolve("second.db-wal")).doesNotExist();
            client.renewed(held);
        }
        assertThatThrownBy(file::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hard links");
        Files.delete(second);
        file.open().close();
    }

    @Test
    void aSymbolicLinkToALockFileIsTheSameLock() throws Exception {
        Path second = Files.createSymbolicLink(folder.resolve("second.db"), file.path);
        try (EmbeddedLockStore one = file.openReal();
                EmbeddedLockStore two = new Lockfile(second).openReal()) {
            new ContractClient(one).granted(exclusive("job"));
            new ContractClient(two).refused(exclusive("job"));
        }
    }

    /** As {@code docker run -v /host/locks.db:/locks.db} does. */
    @Test
    void aLockFileThatIsMountedByItselfIsRefused() throws Exception {
        Path mounted = Files.createFile(folder.resolve("name with blank.db"));
        try (EmbeddedLockStore store = file.openReal();
                ChildJvm container =
                        Mounts.childWith(file.path, mounted, OpeningProcess.class, "sqlite:" + mounted, "job")) {
            new ContractClient(store).granted(exclusive("job"));

            assertThat(container.line()).startsWith("unusable ").contains("mount the folder");
        }
    }

    @Test
    void aFolderThatIsMountedSharesItsLocks() throws Exception {
        Path inside = Files.createDirectory(folder.resolve("inside"));
        Path outside = Files.createDirectory(folder.resolve("outside"));
        try (EmbeddedLockStore store = new Lockfile(outside.resolve("locks.db")).openReal()) {
            new ContractClient(store).granted(exclusive("job"));
            try (ChildJvm container = Mounts.childWith(
                    outside, inside, OpeningProcess.class, "sqlite:" + inside.resolve("locks.db"), "job")) {
                assertThat(container.line()).startsWith("refused ");
            }
        }
    }
}
