package io.holdfast.cli.supervise;

import io.holdfast.cli.supervise.ProcessTable.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The processes of one run, while the JVM lives: found in {@code /proc}, signalled from here.
 *
 * <p>A process belongs to the run if it is the command, is in the command's own session, carries the run's marker in its
 * environment, or descends from one that does. What was found once stays known until it has ended, wherever it moves.
 *
 * <p>Java can send TERM and KILL to one process. Everything else (a process group in one step, CONT, INT, HUP) is
 * done by the shell's {@code kill}; if no shell can be started any more, the processes are signalled one by one.
 */
final class CommandProcesses {
    private static final long LONGEST_KILL_MILLIS = 2000;

    private final String marker;
    private final Containment containment;
    private final Row self = ProcessTable.self();
    private final Set<Row> known = new LinkedHashSet<>();
    private long command;
    private Duration look = Duration.ZERO;

    CommandProcesses(String marker, Containment containment) {
        this.marker = marker;
        this.containment = containment;
    }

    void started(long pid) {
        command = pid;
    }

    /** What the longest look at the processes of the machine has taken. */
    Duration longestLook() {
        return look;
    }

    /** Passes a signal on: to the command's process group if it has one of its own. */
    void pass(String signal) {
        if (command > 0) {
            kill(signal, List.of(Long.toString(hasGroup() ? -command : command)));
        }
    }

    /** TERM, once to each process; CONT, so that a stopped one can act on it. */
    void terminate() {
        if (hasGroup()) {
            terminate(List.of(Long.toString(-command)));
        }
        lookForAll();
        terminate(known.stream()
                .filter(row -> !hasGroup() || row.group() != command)
                .map(row -> Long.toString(row.pid()))
                .toList());
    }

    /** KILL: what is known first, and then what a look finds. */
    void kill() {
        known.forEach(CommandProcesses::kill);
        if (hasGroup()) {
            kill("KILL", List.of(Long.toString(-command)));
        }
        lookForAll();
        known.forEach(CommandProcesses::kill);
    }

    /** Whether nothing of the run is left. */
    boolean allEnded() {
        known.removeIf(row -> !ProcessTable.isAlive(row));
        if (known.isEmpty()) {
            lookForAll();
        }
        return known.isEmpty();
    }

    /**
     * Whether the command, which has ended, left nothing in its session. What did stay there, with its descendants (a
     * nested run gives its command a session of its own), is known from now on. A process that made a session for itself
     * and was left by its parent is meant to stay.
     */
    boolean sessionEnded() {
        known.removeIf(row -> !ProcessTable.isAlive(row));
        if (known.isEmpty()) {
            add(
                    containment == Containment.GROUP
                            ? row -> row.session() == command
                            : row -> row.session() == self.session() && carriesMarker(row));
        }
        return known.isEmpty();
    }

    /** TERM to what {@link #sessionEnded} found. */
    void terminateKnown() {
        terminate(known.stream().map(row -> Long.toString(row.pid())).toList());
    }

    /** KILL to what {@link #sessionEnded} found. */
    void killKnown() {
        known.forEach(CommandProcesses::kill);
    }

    /** The process ids of what is known and has not ended, for people. */
    List<Long> knownAlive() {
        return known.stream().filter(ProcessTable::isAlive).map(Row::pid).toList();
    }

    private boolean hasGroup() {
        return containment == Containment.GROUP && command > 0;
    }

    private void lookForAll() {
        add(row -> row.pid() == command || (hasGroup() && row.session() == command) || carriesMarker(row));
    }

    private void add(Predicate<Row> root) {
        long start = System.nanoTime();
        known.addAll(ProcessTable.read().families(row -> row.pid() > 1 && row.pid() != self.pid() && root.test(row)));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        if (took.compareTo(look) > 0) {
            look = took;
        }
    }

    private boolean carriesMarker(Row row) {
        return ProcessTable.environmentContains(row, marker);
    }

    private static void terminate(List<String> targets) {
        kill("TERM", targets);
        kill("CONT", targets);
    }

    private static void kill(Row row) {
        if (ProcessTable.isAlive(row)) {
            ProcessHandle.of(row.pid()).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static void kill(String signal, List<String> targets) {
        if (targets.isEmpty()) {
            return;
        }
        List<String> line = new ArrayList<>(List.of("sh", "-c", "kill -s \"$0\" -- \"$@\"", signal));
        line.addAll(targets);
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().remove(RunEnvironment.RUN);
        boolean interrupted = false;
        try {
            Process shell = builder.start();
            if (!shell.waitFor(LONGEST_KILL_MILLIS, TimeUnit.MILLISECONDS)) {
                shell.destroyForcibly();
            }
        } catch (IOException e) {
            one(signal, targets);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** No process can be started: TERM and KILL are sent without. */
    private static void one(String signal, List<String> targets) {
        for (String target : targets) {
            ProcessHandle.of(Math.abs(Long.parseLong(target))).ifPresent(process -> {
                if (signal.equals("TERM")) {
                    process.destroy();
                } else if (signal.equals("KILL")) {
                    process.destroyForcibly();
                }
            });
        }
    }
}
