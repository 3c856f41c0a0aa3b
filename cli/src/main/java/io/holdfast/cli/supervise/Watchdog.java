package io.holdfast.cli.supervise;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The process that stops the command: a POSIX shell in a session of its own, which outlives this JVM.
 *
 * <p>It hears this JVM through a pipe. Every message that matters carries absolute times on a clock that both share
 * ({@link Uptime}), so a message that was read late is not believed for longer.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>I1 The watchdog runs and has been told the end of the lease before the command is started. What was written
 *       to the pipe stays readable after this JVM has died, so no answer is needed.
 *   <li>I2 If this JVM dies, the kernel closes the pipe: the watchdog sends TERM at once and KILL at the time it was
 *       told last. A command whose process id it was not told yet is found by its marker.
 *   <li>I3 If this JVM hangs (stopped, swapped out, a long pause), the pipe stays open and silent: the watchdog sends
 *       TERM and KILL at the times it was told last.
 * </ul>
 *
 * <p>Not thread-safe: only the supervisor's thread talks to it.
 */
final class Watchdog {
    /** What the watchdog did, by its exit status. */
    enum Verdict {
        /** Nothing: the command ended by itself and left nothing behind. */
        CLEAN,
        /** It stopped the command because of the lease. */
        STOPPED,
        /** It stopped processes that the command had left behind. */
        TIDIED,
        /** It did not work, or something could not be killed. */
        BROKEN
    }

    private static final String SCRIPT = "watchdog.sh";
    private static final int MESSAGE_LENGTH = 64;

    private final Process process;
    private final OutputStream pipe;

    private Watchdog(Process process) {
        this.process = process;
        this.pipe = process.getOutputStream();
    }

    /** Starts the watchdog of the processes that carry {@code marker} in their environment. */
    static Watchdog start(String marker, Containment containment) {
        ProcessBuilder builder =
                new ProcessBuilder("setsid", "sh", "-c", script(), "lease-watchdog", marker, containment.word());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        // Otherwise it would count as a process of the run that this one may be part of.
        builder.environment().remove(RunEnvironment.RUN);
        try {
            return new Watchdog(builder.start());
        } catch (IOException e) {
            throw new UnsupportedSystemException(
                    "cannot start the watchdog (" + e.getMessage() + "): holdfast run needs setsid and sh", e);
        }
    }

    /** Tells it when the command is to be stopped unless it hears otherwise; {@code pid} is 0 before the start. */
    void lease(long pid, Duration untilTerm, Duration untilKill) throws IOException {
        send("D " + pid + " " + Uptime.in(untilTerm) + " " + Uptime.in(untilKill));
    }

    /** Sends a signal to the command. */
    void signal(String name) throws IOException {
        send("S " + name);
    }

    /** Stops the command: TERM now, KILL in {@code untilKill}. */
    void stop(Duration untilKill) throws IOException {
        send("K " + Uptime.in(untilKill));
    }

    /** Says that the command has ended, and waits until what it left behind has ended too. */
    Verdict finish(Duration longest) throws InterruptedException {
        try {
            send("B");
        } catch (IOException e) {
            // It has ended already; its exit status says why.
        }
        if (!process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS)) {
            return Verdict.BROKEN;
        }
        return verdict();
    }

    /** Ends the pipe: a command that still runs is stopped. */
    void close() {
        try {
            pipe.close();
        } catch (IOException e) {
            // It was closed by the other side.
        }
    }

    Process process() {
        return process;
    }

    /** Whether it has ended after having stopped the command because of the lease. */
    boolean hasStoppedTheCommand() {
        return !process.isAlive() && verdict() == Verdict.STOPPED;
    }

    private Verdict verdict() {
        return switch (process.exitValue()) {
            case 0 -> Verdict.CLEAN;
            case 10 -> Verdict.STOPPED;
            case 11 -> Verdict.TIDIED;
            default -> Verdict.BROKEN;
        };
    }

    private void send(String message) throws IOException {
        byte[] bytes = (message + " ".repeat(MESSAGE_LENGTH - 1 - message.length()) + "\n")
                .getBytes(StandardCharsets.US_ASCII);
        pipe.write(bytes);
        pipe.flush();
    }

    private static String script() {
        try (InputStream in = Watchdog.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IllegalStateException(SCRIPT + " is missing beside " + Watchdog.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + SCRIPT, e);
        }
    }
}
