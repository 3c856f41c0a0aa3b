package io.holdfast.sqlite;

import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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
     *
     * <p>The uptime is {@code CLOCK_BOOTTIME}, of which the kernel notes a reading for every thread when it starts: a
     * fresh thread reads its own. {@code /proc/uptime} is not asked. In LXC, LXD and Proxmox containers lxcfs shows the
     * time since the container started there, while all clocks are the machine's.
     */
    final class Linux implements MachineClock {
        private static final String MACHINES_OWN_NAMESPACE = "time:[4026531834]";
        private static final Duration SLACK = Duration.ofSeconds(1);

        /** Of the kernel's interface, whatever its own tick is. */
        private static final long NANOS_OF_A_TICK = 10_000_000;

        /** The word of the thread's start, counted from the one after the name in brackets. */
        private static final int START = 19;

        private final Path thread;
        private final String bootId;
        private final String origin;

        /** Reads what the kernel tells under {@code proc}. */
        Linux(Path proc) {
            thread = proc.resolve("thread-self/stat");
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
            CompletableFuture<String> told = new CompletableFuture<>();
            Thread fresh = new Thread(
                    () -> {
                        try {
                            told.complete(read(thread));
                        } catch (Throwable e) {
                            told.completeExceptionally(e);
                        }
                    },
                    "holdfast-clock");
            fresh.setDaemon(true);
            fresh.start();
            String stat;
            try {
                stat = told.join();
            } catch (CompletionException e) {
                throw unreadable(thread, e);
            }
            try {
                // The name may have blanks and brackets of its own: the last bracket ends it.
                String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                return Math.multiplyExact(Long.parseLong(words[START]), NANOS_OF_A_TICK);
            } catch (RuntimeException e) {
                throw unreadable(thread, e);
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
