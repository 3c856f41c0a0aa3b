package io.holdfast.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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
 * short-lived process the unpacking. If one of the driver's own properties is set, nothing is done here, and if the cache
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
        Path folder = cache.resolve("holdfast")
                .resolve("sqlite-jdbc-" + SQLiteJDBCLoader.getVersion() + "-" + System.getProperty("os.arch"));
        try {
            if (!Files.exists(folder.resolve(name)) && !unpack(folder, name)) {
                return Optional.empty();
            }
            return Optional.of(folder);
        } catch (IOException | UnsupportedOperationException e) {
            System.getLogger(SqliteLibrary.class.getName())
                    .log(System.Logger.Level.DEBUG, "SQLite is unpacked into the temporary folder: {0}", e.toString());
            return Optional.empty();
        }
    }

    /**
     * Others may unpack at the same time, or the machine may crash: the complete file appears under its name in one step.
     * Only here is the driver asked what it takes the platform for; that is slow, it runs a command.
     */
    private static boolean unpack(Path folder, String name) throws IOException {
        String packed = "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS() + "/" + name;
        try (InputStream bytes = SQLiteJDBCLoader.class.getResourceAsStream(packed)) {
            if (bytes == null) {
                return false;
            }
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path partial = Files.createTempFile(folder, "unpacking", ".tmp");
            try {
                Files.copy(bytes, partial, StandardCopyOption.REPLACE_EXISTING);
                try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
                Files.move(partial, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(partial);
            }
            return true;
        }
    }
}
