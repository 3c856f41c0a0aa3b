package io.holdfast.servers;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Server programs that come inside jars, unpacked once per machine and user.
 *
 * <p>They are too large to unpack for every server (a MariaDB is 400 MB), so they stay in a folder of the temporary
 * directory. It is filled beside its place and moved there whole: whoever finds it finds all of it. A folder that
 * somebody else owns is not used, because what is in it gets run.
 */
final class ServerBinaries {
    private static final String MISSING =
            " on the class path; ./test leaves out MariaDB and MySQL, ./test all does not";

    private ServerBinaries() {}

    /** What fills an empty folder. */
    interface Filler {
        void fill(Path folder) throws IOException;
    }

    static Path unpacked(String name, Filler filler) throws IOException {
        Path all = Path.of(
                System.getProperty("java.io.tmpdir"), "holdfast-servers-" + System.getProperty("user.name", "user"));
        makeOwn(all);
        Path place = all.resolve(name);
        if (Files.isDirectory(place)) {
            return place;
        }
        Path filling = Files.createTempDirectory(all, name + "-filling-");
        try {
            filler.fill(filling);
            Files.setPosixFilePermissions(filling, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(filling, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            delete(filling);
            if (!Files.isDirectory(place)) {
                throw e;
            }
        }
        return place;
    }

    /** Unpacks an archive that is a resource, with the machine's {@code tar}; not every machine has {@code xz} beside. */
    static void untar(String resource, Path folder) throws IOException {
        Path archive = folder.resolve("archive");
        try (InputStream in = ServerBinaries.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new FileNotFoundException("no " + resource + MISSING);
            }
            Files.copy(resource.endsWith(".gz") ? new GZIPInputStream(in) : new XZInputStream(in), archive);
        }
        Process tar = new ProcessBuilder(
                        List.of("tar", "-xf", archive.toString(), "-C", folder.toString(), "--no-same-owner"))
                .redirectErrorStream(true)
                .start();
        tar.getOutputStream().close();
        String complaint = new String(tar.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (Exits.await(tar) != 0) {
            throw new IOException("tar -x of " + resource + " failed: " + complaint);
        }
        Files.delete(archive);
    }

    /** Copies all files of the jar below {@code prefix} that belongs to a resource in it. */
    static void unjar(String resource, String prefix, Path folder) throws IOException {
        URL url = ServerBinaries.class.getResource(resource);
        if (url == null || !(url.openConnection() instanceof JarURLConnection connection)) {
            throw new FileNotFoundException("no jar with " + resource + MISSING);
        }
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (!entry.isDirectory() && entry.getName().startsWith(prefix)) {
                    copy(jar, entry, folder.resolve(entry.getName().substring(prefix.length())));
                }
            }
        }
    }

    private static void copy(JarFile jar, JarEntry entry, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, target);
        }
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void makeOwn(Path all) throws IOException {
        try {
            Files.createDirectory(
                    all, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
        } catch (FileAlreadyExistsException there) {
            Path probe = Files.createTempFile("holdfast-", null);
            try {
                if (Files.isSymbolicLink(all) || !Files.getOwner(all).equals(Files.getOwner(probe))) {
                    throw new IOException(all + " belongs to somebody else; programs in it are not run", there);
                }
            } finally {
                Files.delete(probe);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> content = Files.walk(folder)) {
            for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
