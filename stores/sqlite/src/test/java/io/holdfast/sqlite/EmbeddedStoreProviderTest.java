package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.ContractClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("quick")
final class EmbeddedStoreProviderTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void theSchemeIsFoundAsAService() {
        assertThat(ServiceLoader.load(StoreProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(provider -> provider.opens("sqlite")))
                .singleElement()
                .isInstanceOf(EmbeddedStoreProvider.class);
    }

    @Test
    void optionsAreTakenFromTheUrl() throws Exception {
        try (LockStore store = open("?namespace=team&ioTimeout=500ms&pauseMin=5ms&pauseRandom=7ms", "")) {
            assertThat(store.info().kind()).isEqualTo("embedded");
            assertThat(store.info().location())
                    .isEqualTo(folder.resolve("locks.db").toString());
            assertThat(store.info().blocking()).isTrue();
            assertThat(store.info().ioTimeout()).isEqualTo(Duration.ofMillis(500));
            assertThat(store.info().pauseMin()).isEqualTo(Duration.ofMillis(5));
            assertThat(store.info().pauseRandom()).isEqualTo(Duration.ofMillis(7));
            new ContractClient(store).granted(exclusive("job"));
        }
        try (LockStore same = open("", "team");
                LockStore other = open("", "")) {
            new ContractClient(same).refused(exclusive("job"));
            new ContractClient(other).granted(exclusive("job"));
            assertThat(other.info().ioTimeout()).isEqualTo(Duration.ofSeconds(2));
            assertThat(other.info().pauseMin()).isEqualTo(Duration.ofMillis(50));
            assertThat(other.info().pauseRandom()).isEqualTo(Duration.ofMillis(50));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "?iotimeout=2s, unknown option",
        "?ioTimeout=soon, is not a duration",
        "?ioTimeout=0s, ioTimeout",
        "?pauseMin=2h, pauseMin",
        "?namespace=other, give one of them",
        "?namespace=a%00b, namespace",
    })
    void aWrongOptionIsNamed(String query, String because) {
        assertThatThrownBy(() -> open(query, "team"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(because);
        assertThat(folder.resolve("locks.db")).doesNotExist();
    }

    @Test
    void theDefaultFileIsInTheUsersStateFolder() {
        assertThat(SqliteFiles.locate("", Map.of(), "/home/u"))
                .isEqualTo(Path.of("/home/u/.local/state/holdfast/locks.db"));
        assertThat(SqliteFiles.locate("", Map.of("XDG_STATE_HOME", "/state"), "/home/u"))
                .isEqualTo(Path.of("/state/holdfast/locks.db"));
        assertThat(SqliteFiles.locate("", Map.of("XDG_STATE_HOME", "relative"), "/home/u"))
                .isEqualTo(Path.of("/home/u/.local/state/holdfast/locks.db"));
    }

    /** As a shell does; a user without a {@code passwd} entry has no other. */
    @Test
    void theHomeFolderIsThatOfTheEnvironment() {
        Map<String, String> environment = Map.of("HOME", "/home/ops");
        assertThat(SqliteFiles.locate("", environment, "?"))
                .isEqualTo(Path.of("/home/ops/.local/state/holdfast/locks.db"));
        assertThat(SqliteFiles.locate("~/b.db", environment, "/home/u")).isEqualTo(Path.of("/home/ops/b.db"));
        assertThat(SqliteFiles.locate("~/b.db", Map.of("HOME", ""), "/home/u")).isEqualTo(Path.of("/home/u/b.db"));
    }

    @Test
    void pathsAreRelativeAbsoluteOrInTheHome() {
        assertThat(SqliteFiles.locate("/a/../b.db", Map.of(), "/home/u")).isEqualTo(Path.of("/b.db"));
        assertThat(SqliteFiles.locate("///b.db", Map.of(), "/home/u")).isEqualTo(Path.of("/b.db"));
        assertThat(SqliteFiles.locate("~/b.db", Map.of(), "/home/u")).isEqualTo(Path.of("/home/u/b.db"));
        assertThat(SqliteFiles.locate("x/b.db", Map.of(), "/home/u"))
                .isEqualTo(Path.of("x/b.db").toAbsolutePath());
        assertThatThrownBy(() -> SqliteFiles.locate("//host/b.db", Map.of(), "/home/u"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sqlite:/absolute/path.db");
    }

    private LockStore open(String query, String namespace) {
        return new EmbeddedStoreProvider()
                .open(
                        StoreUrl.parse("sqlite:" + folder.resolve("locks.db") + query),
                        new StoreProvider.Settings(namespace, Duration.ofSeconds(30)));
    }
}
