package io.holdfast.servers;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/**
 * The {@code redis-server} to run: the one that the variable {@value #VARIABLE} names, else the one inside the jar of
 * {@code org.signal:embedded-redis}.
 */
final class RedisBinary {
    static final String VARIABLE = "HOLDFAST_REDIS_BIN";
    private static final String VERSION = "7.0.15";

    private RedisBinary() {}

    /** The binary; unpacked into {@code folder} if need be, so that it goes when the server's folder goes. */
    static Path in(Path folder) throws IOException {
        String chosen = System.getenv(VARIABLE);
        if (chosen != null && !chosen.isBlank()) {
            return Path.of(chosen);
        }
        Path binary = folder.resolve("redis-server");
        if (!Files.exists(binary)) {
            unpack(binary);
        }
        return binary;
    }

    private static void unpack(Path binary) throws IOException {
        String resource = "/redis-server-" + VERSION + "-" + platform();
        try (InputStream in = RedisBinary.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new FileNotFoundException(
                        "no " + resource + " on the class path; set " + VARIABLE + " to a redis-server");
            }
            Files.copy(in, binary);
        }
        Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwx------"));
    }

    private static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
        String arch = System.getProperty("os.arch");
        return os + "-"
                + switch (arch) {
                    case "x86_64", "amd64" -> "amd64";
                    case "aarch64", "arm64" -> "arm64";
                    default -> arch;
                };
    }
}
