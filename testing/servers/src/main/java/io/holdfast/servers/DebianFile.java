package io.holdfast.servers;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A file out of one of Debian's packages, fetched once into the user's cache folder, for what no artifact in Maven Central
 * contains.
 *
 * <p>On Debian and what derives from it the package is downloaded by {@code apt-get download} and unpacked by {@code
 * dpkg-deb -x}: neither needs root and nothing is installed. The package lists may be missing or old (a fresh image has
 * none), so a failed download is repeated with lists of our own.
 *
 * @param packageName the package
 * @param path the end of its path in the package
 * @param name what it is called in the cache
 */
record DebianFile(String packageName, String path, String name) {
    private static final long PATIENCE_SECONDS = 180;
    private static final Object ONE_AT_A_TIME = new Object();

    /** Where downloads are kept over builds. */
    static Path cacheFolder(Map<String, String> environment) {
        String chosen = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path home = Path.of(System.getProperty("user.home", ""));
        if (!chosen.isBlank()) {
            return Path.of(chosen, "holdfast", "servers");
        }
        return Files.isWritable(home)
                ? home.resolve(Path.of(".cache", "holdfast", "servers"))
                : Path.of(System.getProperty("java.io.tmpdir"), "holdfast-servers-" + System.getProperty("user.name"));
    }

    /** The file in the cache, in a folder that holds nothing else. */
    Path in(Path cache) throws IOException {
        Path file = place(cache);
        if (Files.isExecutable(file)) {
            return file;
        }
        Files.createDirectories(file.getParent());
        // Threads of this JVM first: a file lock is held by the JVM as a whole. Then other builds of this user.
        synchronized (ONE_AT_A_TIME) {
            try (FileChannel channel = FileChannel.open(
                            cache.resolve(packageName + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (!lock.isValid()) {
                    throw new IOException("the lock of " + cache + " was lost");
                }
                if (!Files.isExecutable(file)) {
                    fetch(file, cache);
                }
            }
        }
        return file;
    }

    /** Whether it is in the cache. */
    boolean isIn(Path cache) {
        return Files.isExecutable(place(cache));
    }

    private Path place(Path cache) {
        return cache.resolve(packageName + "-" + System.getProperty("os.arch")).resolve(name);
    }

    /** Downloads and unpacks within the cache, and moves the file into place in one step. */
    private void fetch(Path file, Path cache) throws IOException {
        Path work = Files.createTempDirectory(cache, "fetch-");
        try {
            download(work);
            Path unpacked = work.resolve("unpacked");
            run(work, List.of("dpkg-deb", "-x", onlyArchive(work).toString(), unpacked.toString()));
            Path found = find(unpacked).toRealPath();
            Files.setPosixFilePermissions(found, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(found, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            ServerFolder.delete(work);
        }
    }

    private Path find(Path unpacked) throws IOException {
        try (Stream<Path> files = Files.walk(unpacked)) {
            return files.filter(file -> file.endsWith(path))
                    .findFirst()
                    .orElseThrow(() -> new IOException("there is no " + path + " in " + packageName));
        }
    }

    private void download(Path work) throws IOException {
        try {
            run(work, List.of("apt-get", "download", packageName));
        } catch (IOException noLists) {
            Path lists = work.resolve("lists");
            Path cache = work.resolve("cache");
            Files.createDirectories(lists.resolve("partial"));
            Files.createDirectories(cache.resolve(Path.of("archives", "partial")));
            List<String> own = List.of(
                    "apt-get",
                    "-qq",
                    "-o",
                    "Dir::State::lists=" + lists,
                    "-o",
                    "Dir::Cache=" + cache,
                    "-o",
                    "Acquire::Languages=none",
                    "-o",
                    "APT::Sandbox::User=");
            run(work, with(own, "update"));
            run(work, with(own, "download", packageName));
        }
    }

    private static List<String> with(List<String> command, String... more) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(more));
        return whole;
    }

    private static Path onlyArchive(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".deb"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("apt-get downloaded nothing"));
        }
    }

    private static void run(Path folder, List<String> command) throws IOException {
        Path log = folder.resolve("log");
        Process tool = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!tool.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                tool.destroyForcibly();
                throw new IOException(command.get(0) + " did not end within " + PATIENCE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            tool.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (tool.exitValue() != 0) {
            String said = Files.readString(log).strip();
            throw new IOException(String.join(" ", command.get(0), command.get(command.size() - 1)) + " ended with "
                    + tool.exitValue() + ": " + said.substring(Math.max(0, said.length() - 400)));
        }
    }
}
