package io.holdfast.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.OSInfo;

/**
 * Keeps SQLite's native library unpacked in the user's cache folder.
 *
 * <p>The driver unpacks it into the temporary folder in every process and deletes it at the end. A process that is
 * killed leaves it there, one megabyte each time, and killed processes are everyday life of a lock; it also costs every
 * short-lived process the unpacking. Whoever has set one of the driver's own properties is left alone, and if the cache
 * folder cannot be used the driver does what it always does.
 */
final class SqliteLibrary {
    private static final String PATH = "org.sqlite.lib.path";
    private static final String TEMPORARY = "org.sqlite.tmpdir";
    private static final ReentrantLock ONCE = new ReentrantLock();

    private SqliteLibrary() {}

    /** Tells the driver where the library is. */
    static void provide() {
        ONCE.lock();
        try {
            if (System.getProperty(PATH) == null && System.getProperty(TEMPORARY) == null) {
                Path cache = cache(System.getenv(), System.getProperty("user.home"));
                unpacked(cache).ifPresent(folder -> System.setProperty(PATH, folder.toString()));
            }
        } finally {
            ONCE.unlock();
        }
    }

    /** The user's cache folder. */
    static Path cache(Map<String, String> environment, String home) {
        String cache = Optional.ofNullable(environment.get("XDG_CACHE_HOME")).orElse("");
        return cache.startsWith("/") ? Path.of(cache) : Path.of(home, ".cache");
    }

    /** The folder below {@code cache} with the library of this driver and platform, unpacked now or earlier. */
    static Optional<Path> unpacked(Path cache) {
        String name = System.mapLibraryName("sqlitejdbc");
        String platform = OSInfo.getNativeLibFolderPathForCurrentOS();
        URL packed = SQLiteJDBCLoader.class.getResource("/org/sqlite/native/" + platform + "/" + name);
        if (packed == null) {
            return Optional.empty();
        }
        Path folder = cache.resolve("holdfast")
                .resolve("sqlite-jdbc-" + SQLiteJDBCLoader.getVersion() + "-" + platform.replace('/', '-'));
        try {
            URLConnection source = packed.openConnection();
            source.setUseCaches(false);
            try (InputStream bytes = source.getInputStream()) {
                Path library = folder.resolve(name);
                if (!Files.exists(library) || Files.size(library) != source.getContentLengthLong()) {
                    unpack(bytes, folder, library);
                }
            }
            return Optional.of(folder);
        } catch (IOException | UnsupportedOperationException e) {
            System.getLogger(SqliteLibrary.class.getName())
                    .log(System.Logger.Level.DEBUG, "SQLite is unpacked into the temporary folder: {0}", e.toString());
            return Optional.empty();
        }
    }

    /** Others may unpack at the same time: the complete file appears under its name in one step. */
    private static void unpack(InputStream bytes, Path folder, Path library) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path partial = Files.createTempFile(folder, "unpacking", ".tmp");
        try {
            Files.copy(bytes, partial, StandardCopyOption.REPLACE_EXISTING);
            Files.move(partial, library, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(partial);
        }
    }
}
