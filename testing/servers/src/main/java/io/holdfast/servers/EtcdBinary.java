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
 * The {@code etcd} to run: the one that the variable {@value #VARIABLE} names, else the one on the PATH, else Debian's
 * {@code etcd-server}, fetched once into the user's cache folder.
 *
 * <p>No artifact in Maven Central contains etcd. On Debian and what derives from it the package is downloaded by {@code
 * apt-get download} and unpacked by {@code dpkg-deb -x}: neither needs root and nothing is installed. The package lists
 * may be missing or old (a fresh image has none), so a failed download is repeated with lists of our own. If that fails
 * too, whoever asked for a server gets an error that says what to do; a test is never skipped for want of etcd.
 */
final class EtcdBinary {
    static final String VARIABLE = "ETCD_BIN";
    private static final long PATIENCE_SECONDS = 180;
    private static final Object ONE_AT_A_TIME = new Object();

    private EtcdBinary() {}

    /** The binary. */
    static Path find() {
        return find(System.getenv(), cacheFolder(System.getenv()));
    }

    static Path find(Map<String, String> environment, Path cache) {
        String chosen = environment.getOrDefault(VARIABLE, "");
        if (!chosen.isBlank()) {
            Path binary = Path.of(chosen);
            if (!Files.isExecutable(binary)) {
                throw new ServerStartException(VARIABLE + " names '" + binary + "', which cannot be executed", null);
            }
            return binary;
        }
        for (String folder : environment.getOrDefault("PATH", "").split(":", -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, "etcd"))) {
                return Path.of(folder, "etcd");
            }
        }
        try {
            return cached(cache);
        } catch (IOException e) {
            throw new ServerStartException(
                    "no etcd: " + VARIABLE + " is not set, there is none on the PATH, and Debian's package could not be"
                            + " fetched (" + e.getMessage() + "). Install etcd-server, or set " + VARIABLE
                            + " to an etcd binary from https://github.com/etcd-io/etcd/releases",
                    e);
        }
    }

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

    private static Path cached(Path cache) throws IOException {
        Path binary = cache.resolve("etcd-" + System.getProperty("os.arch")).resolve("etcd");
        if (Files.isExecutable(binary)) {
            return binary;
        }
        Files.createDirectories(binary.getParent());
        // Threads of this JVM first: a file lock is held by the JVM as a whole. Then other builds of this user.
        synchronized (ONE_AT_A_TIME) {
            try (FileChannel channel = FileChannel.open(
                            cache.resolve("etcd.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (!lock.isValid()) {
                    throw new IOException("the lock of " + cache + " was lost");
                }
                if (!Files.isExecutable(binary)) {
                    fetch(binary);
                }
            }
        }
        return binary;
    }

    /** Downloads and unpacks beside {@code binary}, and moves it into place in one step. */
    private static void fetch(Path binary) throws IOException {
        Path work = Files.createTempDirectory(binary.getParent(), "fetch-");
        try {
            download(work);
            Path archive = onlyArchive(work);
            run(
                    work,
                    List.of(
                            "dpkg-deb",
                            "-x",
                            archive.toString(),
                            work.resolve("unpacked").toString()));
            Path unpacked = work.resolve(Path.of("unpacked", "usr", "bin", "etcd"));
            Files.setPosixFilePermissions(unpacked, PosixFilePermissions.fromString("rwxr-xr-x"));
            run(work, List.of(unpacked.toString(), "--version"));
            Files.move(unpacked, binary, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            ServerFolder.delete(work);
        }
    }

    private static void download(Path work) throws IOException {
        try {
            run(work, List.of("apt-get", "download", "etcd-server"));
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
            run(work, with(own, "download", "etcd-server"));
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
