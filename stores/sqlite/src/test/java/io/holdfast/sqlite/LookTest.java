package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Revocation;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.tck.ContractClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** U31: looking at an embedded store creates no file and writes nothing into one. */
final class LookTest {
    @TempDir
    Path folder = Path.of("");

    private Lockfile file = new Lockfile(Path.of(""));

    @BeforeEach
    void place() {
        file = new Lockfile(folder.resolve("typo/locks.db"));
    }

    @Test
    void aFileThatIsMissingIsNamedAndNotCreated() {
        assertThatThrownBy(() -> new EmbeddedStoreProvider()
                        .open(
                                StoreUrl.parse("sqlite:" + file.path + "?readOnly=true"),
                                new StoreProvider.Settings("", Duration.ofSeconds(30))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.path.toString())
                .hasMessageContaining("does not exist");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFileWithoutTablesIsLeftAsItIs() throws Exception {
        Files.createDirectories(file.path.getParent());
        Files.createFile(
                file.path,
                java.nio.file.attribute.PosixFilePermissions.asFileAttribute(
                        java.nio.file.attribute.PosixFilePermissions.fromString("rw-------")));

        assertThatThrownBy(() -> look(new SteeredClock(file.time)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no tables");
        assertThat(file.path).isEmptyFile();
    }

    @Test
    void holdersAreShownAndNothingIsWritten() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            new ContractClient(store).granted(exclusive("job").ttl(Duration.ofHours(1)));
        }
        byte[] before = Files.readAllBytes(file.path);
        file.time.elapse(Duration.ofSeconds(5));

        try (LockStore look = look(new SteeredClock(file.time))) {
            ContractClient client = new ContractClient(look);
            assertThat(client.names("", 10)).containsExactly("job");
            assertThat(client.holders("job")).hasSize(1);
        }

        assertThat(file.path).hasBinaryContent(before);
        try (Stream<Path> left = Files.list(file.path.getParent())) {
            assertThat(left).containsExactly(file.path);
        }
    }

    @Test
    void whatAWriterDoesMeanwhileIsSeen() throws Exception {
        try (EmbeddedLockStore store = file.open();
                LockStore look = look(new SteeredClock(file.time))) {
            ContractClient client = new ContractClient(store);
            Claim held = exclusive("job").claim();
            client.granted(held);
            assertThat(new ContractClient(look).names("", 10)).containsExactly("job");
            client.released(held);
            assertThat(new ContractClient(look).names("", 10)).isEmpty();
        }
    }

    /** The leases of another boot are void, although no client has written so yet. */
    @Test
    void leasesOfAnotherBootAreNotShown() throws Exception {
        try (EmbeddedLockStore store = file.open()) {
            new ContractClient(store).granted(exclusive("job").ttl(Duration.ofHours(1)));
        }
        SteeredClock rebooted =
                new SteeredClock(file.time).boot("second boot").offset(Duration.ofNanos(-file.time.nanos()));

        try (LockStore look = look(rebooted)) {
            assertThat(new ContractClient(look).names("", 10)).isEmpty();
            assertThat(new ContractClient(look).holders("job")).isEmpty();
            try (EmbeddedLockStore store = file.open("", rebooted)) {
                new ContractClient(store).granted(exclusive("other"));
                assertThat(new ContractClient(look).names("", 10)).containsExactly("other");
            }
        }
    }

    @Test
    void whatWouldChangeSomethingIsRefused() throws Exception {
        file.open().close();
        try (LockStore look = look(new SteeredClock(file.time))) {
            ContractClient client = new ContractClient(look);
            Claim claim = exclusive("job").claim();
            assertThatThrownBy(() -> client.tryAcquire(claim)).hasMessageContaining("readOnly=true");
            assertThatThrownBy(() -> client.renew(claim)).hasMessageContaining("readOnly=true");
            assertThatThrownBy(() -> client.release(claim)).hasMessageContaining("readOnly=true");
            assertThatThrownBy(() -> client.revoke("job", Revocation.NOW)).hasMessageContaining("readOnly=true");
        }
    }

    private LockStore look(MachineClock clock) {
        return EmbeddedStoreProvider.look(
                file.path,
                new NameSpace(""),
                StoreInfo.of("embedded", file.path.toString()).asBlocking().withIoTimeout(Duration.ofSeconds(2)),
                clock,
                SqliteFiles.ofThisMachine());
    }
}
