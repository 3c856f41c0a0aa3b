package io.holdfast.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a server that refuses to be root, as PostgreSQL does, also when this JVM is root.
 *
 * <p>{@code setpriv} drops to nobody and then <em>becomes</em> the server, so that signals and process ids stay what
 * they are. Where it is missing, {@code unshare -U} gives a user namespace in which root is nobody and the files still
 * belong to it. A JVM that is not root needs neither.
 */
final class Unprivileged {
    private static final int NOBODY = 65534;
    private static final boolean ROOT = "0".equals(firstLine("id", "-u"));
    private static final boolean SETPRIV = ROOT && firstLine("sh", "-c", "command -v setpriv") != null;

    private Unprivileged() {}

    static List<String> command(List<String> command) {
        List<String> full = new ArrayList<>();
        if (SETPRIV) {
            full.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        } else if (ROOT) {
            full.addAll(List.of("unshare", "-U"));
        }
        full.addAll(command);
        return full;
    }

    /** Gives {@code data} and all in it to whom the server runs as; the folders above can be passed. */
    static void own(Path data) throws IOException {
        if (!SETPRIV) {
            return;
        }
        Files.setPosixFilePermissions(data.getParent(), PosixFilePermissions.fromString("rwx--x--x"));
        try (var content = Files.walk(data)) {
            for (Path path : content.toList()) {
                Files.setAttribute(path, "unix:uid", NOBODY, java.nio.file.LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    private static @org.jspecify.annotations.Nullable String firstLine(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .start();
            String line = process.inputReader().readLine();
            return Exits.await(process) == 0 ? line : null;
        } catch (IOException e) {
            return null;
        }
    }
}
