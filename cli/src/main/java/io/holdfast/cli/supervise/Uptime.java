package io.holdfast.cli.supervise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The clock that this process shares with its watchdog: hundredths of a second since the machine started. */
final class Uptime {
    private static final Path FILE = Path.of("/proc/uptime");

    private Uptime() {}

    static long now() {
        try {
            String text = Files.readString(FILE);
            int dot = text.indexOf('.');
            return Long.parseLong(text.substring(0, dot)) * 100 + Long.parseLong(text.substring(dot + 1, dot + 3));
        } catch (IOException e) {
            throw new UnsupportedSystemException("cannot read " + FILE + ": holdfast run needs Linux with /proc", e);
        }
    }

    /** The time {@code delay} after {@code time}, rounded down: too early is safe. */
    static long after(long time, Duration delay) {
        return time + delay.toMillis() / 10;
    }
}
