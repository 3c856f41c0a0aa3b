package io.holdfast.sqlite;

import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a lock file is and whether it may be there: on a file system of this machine, writable for its owner or group
 * only, and under one path (U30): SQLite finds its journal and its locks by the path, so that a file with two paths is
 * two locks. A second name of the file (a hard link) and a file that is a mount point of its own are refused.
 *
 * <p>The file is never opened here once it exists. SQLite's locks are POSIX record locks: closing <em>any</em>
 * descriptor of the file drops those of the whole process, also of another store that uses it. Creating it is the one
 * exception; it happens before a process can have locked it, and one at a time in this process.
 */
final class SqliteFiles {
    /** Tells the type of the file system below an existing path, as the mount table names it. */
    @FunctionalInterface
    interface FileSystems {
        /** Does it. */
        String typeOf(Path existing) throws IOException;
    }

    private static final Set<String> SHARED_BETWEEN_MACHINES = Set.of(
            "nfs",
            "nfs4",
            "cifs",
            "smb",
            "smb2",
            "smb3",
            "smbfs",
            "9p",
            "afs",
            "ncpfs",
            "coda",
            "ceph",
            "glusterfs",
            "lustre",
            "beegfs",
            "orangefs",
            "pvfs2",
            "gpfs",
            "gfs",
            "gfs2",
            "ocfs2",
            "davfs",
            "virtiofs",
            "vboxsf",
            "vmhgfs",
            "prl_fs",
            "drvfs",
            "acfs",
            "panfs",
            "wekafs",
            "cvfs",
            "cxfs");
    /** What the kernel tells about mounts: the fifth word of a line is the mount point, with some bytes as octals. */
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    private static final int MOUNT_POINT = 4;
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    private static final ReentrantLock CREATING = new ReentrantLock();

    private final FileSystems fileSystems;

    SqliteFiles(FileSystems fileSystems) {
        this.fileSystems = fileSystems;
    }

    /** With the mount table of this machine. */
    static SqliteFiles ofThisMachine() {
        return new SqliteFiles(path -> Files.getFileStore(path).type());
    }

    /**
     * The path that stands in a URL, absolute; the default file if it is empty. The home folder is {@code $HOME}, as it
     * is for a shell; without it, the one that {@code passwd} has.
     */
    static Path locate(String path, Map<String, String> environment, String passwdHome) {
        String variable = Optional.ofNullable(environment.get("HOME")).orElse("");
        String home = variable.startsWith("/") ? variable : passwdHome;
        if (path.isEmpty()) {
            String state =
                    Optional.ofNullable(environment.get("XDG_STATE_HOME")).orElse("");
            Path folder = state.startsWith("/") ? Path.of(state) : Path.of(home, ".local", "state");
            return folder.resolve("holdfast")
                    .resolve("locks.db")
                    .toAbsolutePath()
                    .normalize();
        }
        if (path.startsWith("//") && !path.startsWith("///")) {
            throw new IllegalArgumentException(
                    "store URL 'sqlite:" + path + "' names a host, but a lock file is on this machine: write"
                            + " sqlite:/absolute/path.db or sqlite:relative/path.db");
        }
        try {
            Path given = path.startsWith("~/") ? Path.of(home, path.substring(2)) : Path.of(path);
            return given.toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("store URL 'sqlite:" + path + "' has no valid path: " + e.getReason());
        }
    }

    /** Checks the place and creates folder and file, with rights for the owner only, if they do not exist. */
    void prepare(Path file) {
        checkPath(file);
        checkFileSystem(file);
        create(file);
        checkFile(file);
    }

    /**
     * Checks the place of a file that is only looked at. Creates nothing (U31).
     *
     * @throws IllegalArgumentException if there is no file
     */
    void prepareToLook(Path file) {
        checkPath(file);
        if (!Files.exists(file)) {
            throw new IllegalArgumentException("the lock file " + file
                    + " does not exist, and looking does not create it: check the path; a client that acquires a lock"
                    + " creates the file");
        }
        checkFileSystem(file);
        checkFile(file);
    }

    private static void checkPath(Path file) {
        if (file.toString().indexOf('?') >= 0) {
            throw new IllegalArgumentException("the lock file " + file + " has a '?' in its path: give another path");
        }
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException(
                    "the lock file " + file + " is a folder: give the path of a file, as in " + file + "/locks.db");
        }
    }

    private static void checkFile(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("the lock file " + file + " is not a regular file: give another path");
        }
        if (!Files.isReadable(file) || !Files.isWritable(file)) {
            throw denied(file, null);
        }
        checkRights(file);
        checkOnlyPath(file);
    }

    private static void checkOnlyPath(Path file) {
        try {
            int names = (int) Files.getAttribute(file, "unix:nlink");
            if (names != 1) {
                throw new IllegalArgumentException("the lock file " + file + " has " + names
                        + " names (hard links), and clients under different names would hold the same lock: remove the"
                        + " other names");
            }
            if (mountPoints().contains(file.toRealPath().toString())) {
                throw new IllegalArgumentException("the lock file " + file
                        + " is mounted by itself, and clients that reach it by its other path would hold the same lock:"
                        + " mount the folder that it is in");
            }
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "whether the lock file " + file + " has a second path cannot be told (" + e
                            + "): give another path",
                    false,
                    e);
        }
    }

    private static Set<String> mountPoints() throws IOException {
        Set<String> points = new HashSet<>();
        // As bytes: a path need not be UTF-8.
        for (String line : Files.readString(MOUNTS, StandardCharsets.ISO_8859_1).split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words.length > MOUNT_POINT) {
                String point = OCTAL.matcher(words[MOUNT_POINT])
                        .replaceAll(found -> Matcher.quoteReplacement(
                                Character.toString((char) Integer.parseInt(found.group(1), 8))));
                points.add(new String(point.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
            }
        }
        return points;
    }

    private void checkFileSystem(Path file) {
        Path existing = file;
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        String type;
        try {
            type = fileSystems.typeOf(existing);
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "the file system of " + existing + " cannot be told (" + e.getMessage() + "): give another path",
                    false,
                    e);
        }
        if (SHARED_BETWEEN_MACHINES.contains(type) || type.equals("fuse") || type.startsWith("fuse.")) {
            throw new IllegalArgumentException("the lock file " + file + " is on a network or user-space file system ("
                    + type + "), where machines would not see each other's locks: give a path on a local disk");
        }
    }

    private static void create(Path file) {
        if (Files.exists(file)) {
            return;
        }
        CREATING.lock();
        try {
            createNow(file);
        } catch (FileAlreadyExistsException e) {
            if (!Files.exists(file)) {
                throw new IllegalArgumentException(
                        "the lock file " + file + " cannot be created: " + e.getFile() + " is not a folder", e);
            }
        } catch (IOException e) {
            throw denied(file, e);
        } finally {
            CREATING.unlock();
        }
    }

    private static void createNow(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private static void checkRights(Path file) {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new IllegalArgumentException("the lock file " + file
                        + " can be written by every user, who could take any lock: run chmod o-w on it");
            }
        } catch (IOException e) {
            throw denied(file, e);
        }
    }

    private static StoreUnavailableException denied(Path file, @Nullable IOException e) {
        return new StoreUnavailableException(
                "the lock file " + file + " cannot be " + (Files.exists(file) ? "read and written" : "created")
                        + (e == null ? "" : " (" + e + ")")
                        + ": give user " + System.getProperty("user.name")
                        + " the rights on the file and its folder, or give another path",
                false,
                e);
    }

    /** Which file stands at the path now, to notice that it was replaced. */
    static Object identity(Path file) {
        try {
            Object key = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class)
                    .fileKey();
            return key == null ? file : key;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
