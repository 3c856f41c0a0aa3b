package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Signals to processes that this JVM started, through the shell's own {@code kill}. */
final class Signals {
    private Signals() {}

    /** Sends {@code signal} (a name without SIG) to all that still live. */
    static void send(String signal, List<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -" + signal + " \"$@\" 2>&1", "kill"));
        processes.stream().filter(ProcessHandle::isAlive).forEach(process -> command.add(Long.toString(process.pid())));
        if (command.size() == 4) {
            return;
        }
        try {
            Process kill = new ProcessBuilder(command).start();
            kill.getOutputStream().close();
            String complaint = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = Exits.await(kill);
            if (status != 0 && processes.stream().anyMatch(ProcessHandle::isAlive)) {
                throw new IllegalStateException("kill -" + signal + " failed: " + complaint.strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send SIG" + signal, e);
        }
    }

    /** Waits until the kernel has really stopped a process: a signal sent is not yet a signal obeyed. */
    static void awaitStopped(ProcessHandle process) {
        Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
        long end = System.nanoTime() + TimeScale.of(Duration.ofSeconds(5)).toNanos();
        while (process.isAlive() && Files.exists(stat) && state(stat) != 'T') {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("process " + process.pid() + " did not stop within 5 s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Waits until a process that was killed has really ended, be it that nobody collects it. */
    static void awaitGone(ProcessHandle process) {
        Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
        long end = System.nanoTime() + TimeScale.of(Duration.ofSeconds(5)).toNanos();
        while (process.isAlive() && Files.exists(stat) && state(stat) != 'Z' && state(stat) != 'X') {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("process " + process.pid() + " did not end within 5 s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static char state(Path stat) {
        try {
            String line = Files.readString(stat);
            return line.charAt(line.lastIndexOf(')') + 2);
        } catch (IOException gone) {
            return 'X';
        }
    }
}
