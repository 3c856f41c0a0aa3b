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
 * {@code org.signal:embedded-redis}. That one is linked statically; where a library has to be loaded before the C library,
 * it is the one inside the jar of {@code com.github.codemonstur:embedded-redis}.
 */
final class RedisBinary {
    static final String VARIABLE = "HOLDFAST_REDIS_BIN";
    private static final String STATIC = "/redis-server-7.0.15-" + platform();
    private static final String DYNAMIC = "/redis-server-6.2.6-v5-" + platform();

    private RedisBinary() {}

    /** The binary; unpacked into {@code folder} if need be, so that it goes when the server's folder goes. */
    static Path in(Path folder) throws IOException {
        String chosen = System.getenv(VARIABLE);
        if (chosen != null && !chosen.isBlank()) {
            return Path.of(chosen);
        }
        return unpack(STATIC, folder);
    }

    /** A binary that loads libraries; needs the machine's libssl 3. */
    static Path dynamicIn(Path folder) throws IOException {
        return unpack(DYNAMIC, folder);
    }

    private static Path unpack(String resource, Path folder) throws IOException {
        Path binary = folder.resolve("redis-server");
        if (Files.exists(binary)) {
            return binary;
        }
        try (InputStream in = RedisBinary.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new FileNotFoundException(
                        "no " + resource + " on the class path; set " + VARIABLE + " to a redis-server");
            }
            Files.copy(in, binary);
        }
        Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwx------"));
        return binary;
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
