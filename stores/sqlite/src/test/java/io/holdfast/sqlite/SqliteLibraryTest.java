package io.holdfast.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteLibraryTest {
    @TempDir
    Path cache = Path.of("");

    @Test
    void theLibraryIsUnpackedOnceAndBelongsToItsOwnerOnly() throws Exception {
        Path folder = SqliteLibrary.unpacked(cache).orElseThrow();
        Path library = folder.resolve(System.mapLibraryName("sqlitejdbc"));
        FileTime unpacked = Files.getLastModifiedTime(library);
        assertThat(Files.size(library)).isGreaterThan(100_000);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");

        assertThat(SqliteLibrary.unpacked(cache)).contains(folder);

        assertThat(Files.getLastModifiedTime(library)).isEqualTo(unpacked);
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(library);
        }
    }

    @Test
    void aCacheThatCannotBeUsedIsNoError() throws Exception {
        Path file = Files.createFile(cache.resolve("plain"));
        assertThat(SqliteLibrary.unpacked(file)).isEmpty();
    }

    @Test
    void theCacheIsTheUsers() {
        assertThat(SqliteLibrary.cache(Map.of(), "/home/u")).isEqualTo(Path.of("/home/u/.cache"));
        assertThat(SqliteLibrary.cache(Map.of("XDG_CACHE_HOME", "/c"), "/home/u"))
                .isEqualTo(Path.of("/c"));
        assertThat(SqliteLibrary.cache(Map.of("XDG_CACHE_HOME", "c"), "/home/u"))
                .isEqualTo(Path.of("/home/u/.cache"));
    }
}
