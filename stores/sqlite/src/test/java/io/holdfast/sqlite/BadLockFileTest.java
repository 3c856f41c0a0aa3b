package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not what they should be, and disks that are full: one line each, and nothing lost or left locked. */
final class BadLockFileTest {
    @TempDir
    Path folder = Path.of("");

    private Lockfile file = new Lockfile(Path.of(""));

    @BeforeEach
    void place() {
        file = new Lockfile(folder.resolve("locks.db"));
    }

    @Test
    void aFolderIsNotALockFile() throws IOException {
        Files.createDirectory(file.path);
        refusedWith("is a folder", "/locks.db");
    }

    @Test
    void aFileInPlaceOfAFolderIsNamed() throws IOException {
        Path plain = Files.createFile(folder.resolve("plain"));
        assertThatThrownBy(() -> new Lockfile(plain.resolve("locks.db")).open())
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining(plain.toString())
                .hasMessageContaining("cannot be created");
    }

    @Test
    void aFileOfTheFirstSchemaVersionIsUpgradedWithItsLocks() throws Exception {
        Claim held = exclusive("job").ttl(Duration.ofHours(1)).claim();
        try (EmbeddedLockStore store = file.open()) {
            new ContractClient(store).granted(held);
        }
        file.sql("DROP TABLE holdfast_note", "PRAGMA user_version = 1");

        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            client.renewed(held);
            client.refused(exclusive("job").by("patient").pausing(Duration.ofMillis(300)));
            assertThat(client.release(held)).isEqualTo(new ReleaseResult.Released(Duration.ofMillis(300)));
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndKept() throws IOException {
        String text = "my precious notes\n".repeat(1000);
        Files.writeString(file.path, text);

        refusedWith("is not a SQLite database", "another path");
        assertThat(file.path).hasContent(text.stripTrailing());
    }

    @Test
    void aDatabaseOfAnotherApplicationIsRefusedAndKept() throws Exception {
        file.sql("CREATE TABLE invoices (id INTEGER)", "INSERT INTO invoices VALUES (1)");

        refusedWith("another application", "a file of their own");
        assertThat(file.number("SELECT count(*) FROM invoices")).isEqualTo(1);
        assertThat(file.number("SELECT count(*) FROM sqlite_schema")).isEqualTo(1);
    }

    @Test
    void aDatabaseOfANewerVersionIsRefused() throws Exception {
        file.open().close();
        file.sql("PRAGMA user_version = 7");

        refusedWith("schema version 7", "upgrade");
    }

    @Test
    void anEmptyFileIsTakenOver() throws Exception {
        Files.createFile(file.path);
        try (EmbeddedLockStore store = file.open()) {
            new ContractClient(store).granted(exclusive("job"));
        }
    }

    @Test
    void aDamagedDatabaseIsNamedWithTheRemedy() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            for (int i = 0; i < 300; i++) {
                client.granted(exclusive("job-" + i));
            }
        }
        byte[] bytes = Files.readAllBytes(file.path);
        java.util.Arrays.fill(bytes, 4096, bytes.length, (byte) 0x5a);
        Files.write(file.path, bytes);

        assertThatThrownBy(() -> new ContractClient(file.open()).granted(exclusive("job-7")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(file.path.toString())
                .hasMessageContaining("damaged");
    }

    @Test
    void aFileThatIsReplacedWhileInUseGrantsNothingMore() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            Claim held = exclusive("job").claim();
            client.granted(held);

            Files.delete(file.path);
            try (EmbeddedLockStore other = file.open()) {
                new ContractClient(other).granted(exclusive("job"));
                file.time.elapse(SameFile.EVERY);

                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> client.renew(held))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("replaced")
                            .hasMessageContaining(file.path.toString());
                }
            }
            Files.delete(file.path);
            assertThatThrownBy(() -> client.granted(exclusive("another")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("deleted");
        }
    }

    @Test
    void aFullDiskRefusesNewLocksAndKeepsAndFreesThoseThatAreHeld() throws Exception {
        file.open().close();
        List<Claim> held = new ArrayList<>();
        try (EmbeddedLockStore store = openWithRoomFor(40)) {
            ContractClient client = new ContractClient(store);
            assertThatThrownBy(() -> {
                        while (held.size() < 10_000) {
                            Claim next = filling(held.size());
                            client.granted(next);
                            held.add(next);
                        }
                    })
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isFalse())
                    .hasMessageContaining("full")
                    .hasMessageContaining(file.path.toString())
                    .hasMessageNotContaining("\n");

            assertThat(held).hasSizeGreaterThan(10);
            assertThat(client.names("", 10_000)).hasSameSizeAs(held);
            for (Claim claim : held) {
                client.renewed(claim);
            }
            client.released(held.get(0));
        }
        try (EmbeddedLockStore store = file.open()) {
            ContractClient client = new ContractClient(store);
            client.granted(filling(held.size()));
            client.renewed(held.get(1));
            client.granted(exclusive(held.get(0).lockName()));
        }
    }

    @Test
    void aDiskThatIsReallyFullLosesNothingAndGoesOnWhenThereIsSpace() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=512k", "holdfast", disk.toString()) == 0,
                "only root can mount a small disk");
        try {
            Lockfile small = new Lockfile(disk.resolve("locks.db"));
            try (EmbeddedLockStore store = small.open()) {
                ContractClient client = new ContractClient(store);
                Claim held = filling(0);
                long token = client.granted(held).token();
                Path filler = disk.resolve("filler");
                assertThatThrownBy(() -> Files.write(filler, new byte[1 << 20])).isInstanceOf(IOException.class);

                assertThatThrownBy(() -> {
                            for (int i = 1; i < 10_000; i++) {
                                client.granted(filling(i));
                            }
                        })
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining(small.path.toString());

                client.refused(exclusive(held.lockName()));
                Files.delete(filler);
                client.renewed(held);
                client.released(held);
                assertThat(client.granted(exclusive(held.lockName())).token()).isGreaterThan(token);
            }
            assertThat(small.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"))
                    .isZero();
        } finally {
            // Lazily: a process that another test starts at this moment may still have the open file of its parent.
            run("umount", "-l", disk.toString());
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static Claim filling(int number) {
        return new Ask(
                        "job-%05d".formatted(number).repeat(10),
                        "c".repeat(200),
                        io.holdfast.Mode.EXCLUSIVE,
                        1,
                        Duration.ofMinutes(5),
                        Duration.ZERO,
                        1)
                .claim();
    }

    private EmbeddedLockStore openWithRoomFor(int pages) {
        return EmbeddedStoreProvider.open(
                file.path,
                new NameSpace(""),
                StoreInfo.of("embedded", file.path.toString()),
                new SteeredClock(file.time),
                () -> {
                    Connection connection = file.connect();
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("PRAGMA max_page_count = " + pages);
                    }
                    return connection;
                });
    }

    private void refusedWith(String what, String remedy) {
        assertThatThrownBy(file::open)
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining(file.path.toString())
                .hasMessageContaining(what)
                .hasMessageContaining(remedy)
                .hasMessageNotContaining("\n");
    }
}
