package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * The clock that all processes of one machine share, and the boot since which it runs.
 *
 * <p>Leases in a file are counted on it: a step of the wall clock cannot end or prolong one. It starts anew with every
 * boot, so a reading means something only together with the {@link #bootId()}, and only among processes that see the
 * same origin ({@link #origin()}).
 */
interface MachineClock {
    /** Nanoseconds on the monotonic clock that every process of this boot and {@link #origin()} reads alike. */
    long nanos();

    /** The wall clock in microseconds since 1970. It only seeds tokens. */
    long wallMicros();

    /** Which boot of the machine this is. */
    String bootId();

    /** Which origin the clock has, if it is not the machine's: a time namespace. Empty for the machine's own. */
    String origin();

    /** Time since boot, suspended time included; never less than {@link #nanos()}. */
    long uptimeNanos();

    /** The clock of this machine. */
    static MachineClock system() {
        return new Linux(Path.of("/proc"));
    }

    /**
     * Linux: {@link System#nanoTime()} is {@code CLOCK_MONOTONIC}, which the kernel keeps once per machine and time
     * namespace. Other systems promise nothing of the kind across processes and are refused.
     */
    final class Linux implements MachineClock {
        private static final String MACHINES_OWN_NAMESPACE = "time:[4026531834]";
        private static final Duration SLACK = Duration.ofSeconds(1);

        private final Path uptime;
        private final String bootId;
        private final String origin;

        /** Reads what the kernel tells under {@code proc}. */
        Linux(Path proc) {
            uptime = proc.resolve("uptime");
            bootId = read(proc.resolve("sys/kernel/random/boot_id"));
            origin = origin(proc.resolve("self/ns/time"));
            long now = nanos();
            long limit = uptimeNanos() + SLACK.toNanos();
            if (now < 0 || now > limit) {
                throw new StoreUnavailableException(
                        "this process has a monotonic clock of its own ("
                                + Duration.ofNanos(now).toSeconds()
                                + " s, but the machine is up for "
                                + Duration.ofNanos(limit).toSeconds()
                                + " s), so it cannot share locks in a file: run it without a faked clock",
                        false,
                        null);
            }
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMicros() {
            Instant now = Instant.now();
            return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
        }

        @Override
        public String bootId() {
            return bootId;
        }

        @Override
        public String origin() {
            return origin;
        }

        @Override
        public long uptimeNanos() {
            String text = read(uptime);
            try {
                return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1e9);
            } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
                throw unreadable(uptime, e);
            }
        }

        private static String origin(Path namespace) {
            try {
                String link = Files.readSymbolicLink(namespace).toString();
                return link.equals(MACHINES_OWN_NAMESPACE) ? "" : link;
            } catch (IOException | UnsupportedOperationException e) {
                return ""; // before Linux 5.6 there are no time namespaces
            }
        }

        private static String read(Path file) {
            try {
                return Files.readString(file).trim();
            } catch (IOException e) {
                throw unreadable(file, e);
            }
        }

        private static StoreUnavailableException unreadable(Path file, Exception e) {
            return new StoreUnavailableException(
                    "the embedded store needs Linux: " + file + " does not tell the boot of this machine; use another"
                            + " store here",
                    false,
                    e);
        }
    }
}
