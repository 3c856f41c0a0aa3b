package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where a lock file is and whether it may be there: on a file system of this machine, readable for its owner only.
 *
 * <p>The file is never opened here once it exists. SQLite's locks are POSIX record locks: closing <em>any</em>
 * descriptor of the file drops those of the whole process, also of another store that uses it. Creating it is the one
 * exception; it happens before anybody can have locked it, and one at a time in this process.
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
            "acfs");
    private static final ReentrantLock CREATING = new ReentrantLock();

    private final FileSystems fileSystems;

    SqliteFiles(FileSystems fileSystems) {
        this.fileSystems = fileSystems;
    }

    /** With the mount table of this machine. */
    static SqliteFiles ofThisMachine() {
        return new SqliteFiles(path -> Files.getFileStore(path).type());
    }

    /** The path that stands in a URL, absolute; the default file if it is empty. */
    static Path locate(String path, Map<String, String> environment, String home) {
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
        if (file.toString().indexOf('?') >= 0) {
            throw new IllegalArgumentException("the lock file " + file + " has a '?' in its path: give another path");
        }
        if (Files.isDirectory(file)) {
            throw new IllegalArgumentException(
                    "the lock file " + file + " is a folder: give the path of a file, as in " + file + "/locks.db");
        }
        checkFileSystem(file);
        create(file);
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("the lock file " + file + " is not a regular file: give another path");
        }
        if (!Files.isReadable(file) || !Files.isWritable(file)) {
            throw denied(file, null);
        }
        checkRights(file);
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
