package io.holdfast.cli.supervise;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The process that stops the command if this JVM cannot: a POSIX shell in a session of its own, which outlives this JVM.
 *
 * <p>It knows from its start when the command has to end, and that never changes: each renewal starts another watchdog
 * and dismisses the one before. There are no messages that could be lost, and one that stands still is replaced, too.
 *
 * <ul>
 *   <li>I1 A watchdog runs before the command is started. What was written to its pipe stays readable after this JVM
 *       has died, so no answer is needed.
 *   <li>I2 If this JVM dies, the kernel closes the pipe: the watchdog sends TERM at once and KILL at its time. A command
 *       whose process id it was not told yet is found by its marker.
 *   <li>I3 If this JVM stands still (stopped, swapped out, a long pause), the watchdog sends TERM and KILL at its times.
 *   <li>I4 A watchdog either ends without having done anything, or its exit status says that it stopped the command.
 *       One that is dismissed at the moment of its TERM may do either.
 * </ul>
 *
 * <p>Not thread-safe: only the supervisor's thread talks to it.
 */
final class Watchdog {
    private static final String SCRIPT = "watchdog.sh";
    private static final String SENT = "-";
    private static final int STOPPED = 10;

    private final Process process;
    private final OutputStream pipe;
    private final long wakeNanos;

    private Watchdog(Process process, long wakeNanos) {
        this.process = process;
        this.pipe = process.getOutputStream();
        this.wakeNanos = wakeNanos;
    }

    /**
     * Which processes it stops: all that carry {@code marker}, and the command's. {@code pid} is 0 before the command is
     * started; {@code start} tells the command from another process that gets its id later.
     */
    record Prey(String marker, Containment containment, long pid, long start) {}

    /** One that sends TERM and KILL at these times of {@link Uptime}; {@code wakeNanos} is the first of them here. */
    static Watchdog start(Prey prey, long term, long kill, long wakeNanos) {
        return start(prey, Long.toString(term), kill, wakeNanos);
    }

    /** One that only sends KILL, because TERM was sent. */
    static Watchdog startForKill(Prey prey, long kill, long wakeNanos) {
        return start(prey, SENT, kill, wakeNanos);
    }

    private static Watchdog start(Prey prey, String term, long kill, long wakeNanos) {
        ProcessBuilder builder = new ProcessBuilder(
                "setsid",
                "sh",
                "-c",
                script(),
                "lease-watchdog",
                prey.marker(),
                prey.containment().word(),
                Long.toString(prey.pid()),
                Long.toString(prey.start()),
                term,
                Long.toString(kill));
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        // Otherwise it would count as a process of the run that this one may be part of.
        builder.environment().remove(RunEnvironment.RUN);
        try {
            return new Watchdog(builder.start(), wakeNanos);
        } catch (IOException e) {
            throw new UnsupportedSystemException(
                    "cannot start the watchdog (" + e.getMessage() + "): holdfast run needs setsid and sh", e);
        }
    }

    /** Says which process the command is, if that was not known at the start. */
    void started(long pid, long start) {
        say(pid + " " + start + " ");
    }

    /** Lets it end. */
    void dismiss() {
        say("end\n");
        try {
            pipe.close();
        } catch (IOException e) {
            // It has ended already.
        }
    }

    /** Whether its time has come, so that it has begun to stop the command, or is about to. */
    boolean isDue() {
        return System.nanoTime() - wakeNanos >= 0;
    }

    /** Whether it stopped the command. Waits until one that was dismissed has ended, at most for {@code millis}. */
    boolean hasStopped(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS) && process.exitValue() == STOPPED;
    }

    Process process() {
        return process;
    }

    private void say(String message) {
        try {
            pipe.write(message.getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            // It has ended. The supervisor hears of that, and starts another.
        }
    }

    static String script() {
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
