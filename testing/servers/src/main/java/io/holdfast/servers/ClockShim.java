package io.holdfast.servers;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * A wall clock of its own for one server, that a test can step. A small library that is loaded before the C library
 * ({@code clock-shim.c}, beside the binary that was built from it, so that no compiler is needed) adds what a file says to
 * the time of day; monotonic clocks stay. Linux on amd64, and a dynamically linked server.
 */
final class ClockShim {
    private static final String LIBRARY = "clock-shim-linux-amd64.so";

    private final Path library;
    private final Path file;
    private Duration offset = Duration.ZERO;

    private ClockShim(Path library, Path file) {
        this.library = library;
        this.file = file;
    }

    /** The shim, unpacked into {@code folder}; it shows the machine's time until it is stepped. */
    static ClockShim in(Path folder) {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch");
        if (!os.contains("linux") || !arch.equals("amd64")) {
            throw new IllegalStateException("the clock of a server can be stepped on Linux on amd64 only, and this is "
                    + os + " on " + arch + ": see " + ClockShim.class.getName());
        }
        ClockShim shim = new ClockShim(folder.resolve(LIBRARY), folder.resolve("clock-offset"));
        try (InputStream in = ClockShim.class.getResourceAsStream(LIBRARY)) {
            if (in == null) {
                throw new FileNotFoundException(LIBRARY + " is not on the class path");
            }
            Files.copy(in, shim.library);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        shim.write();
        return shim;
    }

    /** What the server's process needs. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "HOLDFAST_CLOCK_FILE", file.toString());
    }

    /** Steps the clock, at once; a negative step goes back. */
    void step(Duration by) {
        offset = offset.plus(by);
        write();
    }

    private void write() {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(offset.toNanos());
        try {
            // In place: the server has this very file in its memory.
            try (var channel = java.nio.channels.FileChannel.open(
                    file, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
                channel.write(bytes.flip(), 0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
