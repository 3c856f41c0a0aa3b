package io.holdfast.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code etcd} to run: the one that the variable {@value #VARIABLE} names, else the one on the PATH, else Debian's
 * {@code etcd-server} ({@link DebianFile}). Whoever asked for a server that is nowhere to be had gets an error that says what
 * to do; a test is never skipped for want of etcd.
 */
final class EtcdBinary {
    static final String VARIABLE = "ETCD_BIN";
    private static final DebianFile PACKAGE = new DebianFile("etcd-server", "usr/bin/etcd", "etcd");

    private EtcdBinary() {}

    /** The binary. */
    static Path find() {
        return find(System.getenv(), DebianFile.cacheFolder(System.getenv()));
    }

    /** Whether {@link #find(Map, Path)} has nothing to fetch. */
    static boolean isThere(Map<String, String> environment, Path cache) {
        return !environment.getOrDefault(VARIABLE, "").isBlank()
                || onPath(environment).isPresent()
                || PACKAGE.isIn(cache);
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
        Optional<Path> installed = onPath(environment);
        if (installed.isPresent()) {
            return installed.get();
        }
        try {
            return PACKAGE.in(cache);
        } catch (IOException e) {
            throw new ServerStartException(
                    "no etcd: " + VARIABLE + " is not set, there is none on the PATH, and Debian's package could not be"
                            + " fetched (" + e.getMessage() + "). Install etcd-server, or set " + VARIABLE
                            + " to an etcd binary from https://github.com/etcd-io/etcd/releases",
                    e);
        }
    }

    private static Optional<Path> onPath(Map<String, String> environment) {
        for (String folder : environment.getOrDefault("PATH", "").split(":", -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, "etcd"))) {
                return Optional.of(Path.of(folder, "etcd"));
            }
        }
        return Optional.empty();
    }
}
