package io.holdfast.cli.supervise;

import io.holdfast.cli.supervise.ProcessTable.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The processes of one run, while the JVM lives: found in {@code /proc}, signalled from here.
 *
 * <p>A process belongs to the run if it is the command, is in the command's own session, carries the run's marker in its
 * environment, or descends from one that does. What was found once stays known until it has ended, wherever it moves.
 *
 * <p>A process is known by its id and its start: another process may get the id of one that has ended. The command's id
 * also names its session and its group. The kernel keeps that number back while one of them has members; without members
 * another process may get it, and session and group of this number are a stranger's from then on.
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
    private long commandStart;
    private Duration look = Duration.ZERO;

    CommandProcesses(String marker, Containment containment) {
        this.marker = marker;
        this.containment = containment;
    }

    /** The command runs as this process, or has ended already. Says when it was started, 0 if it has ended. */
    long started(long pid) {
        return started(pid, ProcessTable.find(pid).map(Row::start).orElse(0L));
    }

    long started(long pid, long start) {
        command = pid;
        commandStart = start;
        return start;
    }

    /** What the longest look at the processes of the machine has taken. */
    Duration longestLook() {
        return look;
    }

    /** Passes a signal on: to the command's process group if it has one of its own. */
    void pass(String signal) {
        if (isOurs()) {
            kill(signal, List.of(Long.toString(containment == Containment.GROUP ? -command : command)));
        }
    }

    /** TERM, once to each process; CONT, so that a stopped one can act on it. */
    void terminate() {
        boolean group = hasGroup();
        if (group) {
            kill("TERM", List.of(Long.toString(-command)));
            kill("CONT", List.of(Long.toString(-command)));
        }
        lookForAll();
        terminate(known.stream().filter(row -> !group || row.group() != command).toList());
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
        boolean group = hasGroup();
        Set<Row> before = Set.copyOf(known);
        add(row -> before.contains(row)
                || (group && row.session() == command)
                || (containment == Containment.TREE && row.session() == self.session() && carriesMarker(row)));
        return known.isEmpty();
    }

    /** TERM to what {@link #sessionEnded} found. */
    void terminateKnown() {
        terminate(List.copyOf(known));
    }

    /** KILL to what {@link #sessionEnded} found. */
    void killKnown() {
        known.forEach(CommandProcesses::kill);
    }

    /** The process ids of what is known and has not ended, for people. */
    List<Long> knownAlive() {
        return known.stream().filter(ProcessTable::isAlive).map(Row::pid).toList();
    }

    /** Whether the command leads a group and a session that are still its own. */
    private boolean hasGroup() {
        return containment == Containment.GROUP && isOurs();
    }

    /** Whether the number of the command is not that of another process by now. */
    private boolean isOurs() {
        return command > 0
                && ProcessTable.find(command)
                        .filter(now -> now.start() != commandStart)
                        .isEmpty();
    }

    private void lookForAll() {
        boolean ours = isOurs();
        boolean group = hasGroup();
        add(row -> (ours && row.pid() == command) || (group && row.session() == command) || carriesMarker(row));
    }

    private void add(Predicate<Row> root) {
        long start = System.nanoTime();
        for (Row row :
                ProcessTable.read().families(row -> row.pid() > 1 && row.pid() != self.pid() && root.test(row))) {
            known.remove(row);
            known.add(row);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        if (took.compareTo(look) > 0) {
            look = took;
        }
    }

    private boolean carriesMarker(Row row) {
        return ProcessTable.environmentContains(row, marker);
    }

    private static void terminate(List<Row> rows) {
        rows.forEach(row -> signal(row, ProcessHandle::destroy));
        kill("CONT", rows.stream().map(row -> Long.toString(row.pid())).toList());
    }

    private static void kill(Row row) {
        signal(row, ProcessHandle::destroyForcibly);
    }

    /** The handle is of the process that the check sees, or of one that it does not accept. */
    private static void signal(Row row, Consumer<ProcessHandle> send) {
        ProcessHandle.of(row.pid()).filter(handle -> ProcessTable.isAlive(row)).ifPresent(send);
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
