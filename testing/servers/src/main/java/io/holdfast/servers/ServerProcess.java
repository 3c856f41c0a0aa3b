package io.holdfast.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A real server as a process of its own, with the verbs of a fault test: start, stop, kill, pause, resume, restart with
 * and without its data.
 *
 * <p>A kind of server is a subclass that says how it is started ({@link #command()}) and when it answers ({@link
 * #answers()}); the rest is here. The server listens on {@link #HOST} only, on ports that it keeps over every restart,
 * and writes to its own temporary folder only: the working directory is {@link #data()}, and what it prints goes to a
 * log whose end is part of every error.
 *
 * <p>It never outlives its user: {@link #close()} kills it, a shutdown hook closes what nobody closed, and {@link
 * ParentWatch} kills it when the JVM dies without running hooks.
 *
 * <p>The verbs are for one thread at a time (they are synchronized); {@code close()} may come from any thread at any
 * time and also ends a {@code start()} that is under way. Verbs wait until what they say is true: after {@link
 * #pause()} the process is stopped, after {@link #kill()} it is gone. Failures are unchecked.
 */
public abstract class ServerProcess implements AutoCloseable {
    /** The only address a server listens on. */
    public static final String HOST = "127.0.0.1";

    private static final int START_TRIES = 3;
    private static final int TEXT_FILE_BUSY_TRIES = 200;

    private final String name;
    private final int[] ports;
    private final ServerFolder folder;
    private volatile @Nullable Process process;
    private volatile boolean closed;
    private boolean paused;
    private boolean wasReady;

    /**
     * Draws the ports and makes the folder; starts nothing.
     *
     * @param name the kind of server in one word, for messages and folder names
     * @param portCount how many ports it needs
     */
    protected ServerProcess(String name, int portCount) {
        this.name = name;
        ports = new int[portCount];
        drawPorts();
        folder = new ServerFolder(name);
        LiveServers.add(this);
    }

    /** The command: the server itself in the foreground, not a script that leaves it behind. Asked at every launch. */
    protected abstract List<String> command();

    /** Asks the server once whether it serves. An exception means "not yet" and is shown if it stays so. */
    protected abstract boolean answers() throws IOException;

    /** Fills the empty data folder before the first start and after a data loss, as {@code initdb} does. */
    protected void prepare() throws IOException {}

    /** Variables that the server gets beside those of this JVM. */
    protected Map<String, String> environment() {
        return Map.of();
    }

    /** The signal that asks the server to end in order, without SIG. */
    protected String stopSignal() {
        return "TERM";
    }

    /** Removes what a killed server leaves outside its folder, before that is deleted. */
    protected void cleanUp() {}

    /** How long a start may take, and how long an orderly stop. */
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** Starts a server, which is closed if that fails. */
    static <S extends ServerProcess> S started(S server) {
        try {
            server.start();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Starts the server and waits until it answers. */
    public final synchronized void start() {
        for (int attempt = 1; ; attempt++) {
            launch();
            try {
                awaitReady();
                return;
            } catch (ServerStartException e) {
                boolean endedByItself = !isRunning();
                kill();
                if (closed || wasReady || !endedByItself || attempt == START_TRIES) {
                    throw e;
                }
                // Most likely another process took the port between the draw and the bind.
                folder.wipeData();
                drawPorts();
            }
        }
    }

    /** Starts the process without waiting until it answers, for members of a group that are ready only together. */
    public final synchronized void launch() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        if (isRunning()) {
            throw new IllegalStateException(this + " runs already");
        }
        paused = false;
        try {
            if (!folder.isPrepared()) {
                prepare();
            }
            spawn();
        } catch (IOException e) {
            throw new ServerStartException(this + " cannot be started with " + command() + ": " + e, e);
        }
        if (closed) {
            kill();
        }
    }

    /** Waits until a launched server answers. */
    public final synchronized void awaitReady() {
        Duration longest = TimeScale.of(patience());
        awaitCondition("answer", longest, this::answers);
        wasReady = true;
    }

    /** Kills it at once (SIGKILL), with its child processes; also when it is paused. Nothing if it does not run. */
    public final synchronized void kill() {
        Process running = process;
        if (running != null) {
            end(running);
        }
    }

    /** Asks it to end in order ({@link #stopSignal()}) and waits until it did. A paused server is resumed first. */
    public final synchronized void stop() {
        Process running = running("be stopped");
        resume();
        Signals.send(stopSignal(), List.of(running.toHandle()));
        if (!Exits.await(running, TimeScale.of(patience()))) {
            kill();
            throw new IllegalStateException(this + " did not end on SIG" + stopSignal() + " within " + patience()
                    + " and was killed; its log ends with\n" + logTail());
        }
    }

    /** Freezes it (SIGSTOP), with its child processes: connections stay open and nothing answers. */
    public final synchronized void pause() {
        Process running = running("be paused");
        Signals.send("STOP", List.of(running.toHandle()));
        Signals.awaitStopped(running.toHandle());
        List<ProcessHandle> children = running.descendants().toList();
        Signals.send("STOP", children);
        children.forEach(Signals::awaitStopped);
        paused = true;
    }

    /** Lets a paused server go on (SIGCONT). Nothing if it is not paused. */
    public final synchronized void resume() {
        if (paused) {
            Signals.send("CONT", tree(running("be resumed")));
            paused = false;
        }
    }

    /** Stops it in order, if it runs, and starts it on the same ports with the data it kept. */
    public final synchronized void restart() {
        if (isRunning()) {
            stop();
        }
        start();
    }

    /** Kills it, if it runs, deletes its data and starts it on the same ports. */
    public final synchronized void restartWithDataLoss() {
        kill();
        folder.wipeData();
        start();
    }

    /** Whether the process lives, be it paused. */
    public final boolean isRunning() {
        Process current = process;
        return current != null && current.isAlive();
    }

    /** The process id of the server that was launched last, be it gone. */
    public final long pid() {
        return launched("have a process id").pid();
    }

    /** The first port. */
    public final int port() {
        return port(0);
    }

    /** One of the ports, from 0 on. */
    public final int port(int index) {
        synchronized (ports) {
            return ports[index];
        }
    }

    /** The server's own folder, which lives as long as this object; {@link #data()} is in it. */
    protected final Path folder() {
        return folder.root();
    }

    /** The folder with its data, which is its working directory. */
    public final Path data() {
        return folder.data();
    }

    /** The last lines of what it printed. */
    public final String logTail() {
        return folder.tail();
    }

    /** Kills it and deletes its folder. Idempotent, any thread. */
    @Override
    public final void close() {
        closed = true;
        Process running = process;
        if (running != null) {
            end(running);
        }
        String lastWords;
        synchronized (this) {
            kill();
            cleanUp();
            lastWords = logTail();
            folder.delete();
        }
        LiveServers.remove(this, lastWords);
    }

    /** Kind and address. */
    @Override
    public String toString() {
        return name + (ports.length == 0 ? "" : " on " + HOST + ":" + port());
    }

    /** Runs a tool to its end, as in {@link #prepare()}; what it prints goes to the log. */
    protected final void runTool(List<String> command) throws IOException {
        Process tool = spawn(command);
        if (!Exits.await(tool, TimeScale.of(patience()))) {
            end(tool);
        }
        int status = Exits.await(tool);
        if (status != 0) {
            throw new IOException(command + " ended with " + status + "; the log ends with\n" + logTail());
        }
    }

    /** Waits until something is true of the running server; the error says what is not and shows the log. */
    protected final void awaitCondition(String what, Duration longest, Condition condition) {
        Process running = launched(what);
        long end = System.nanoTime() + longest.toNanos();
        Throwable last = null;
        try {
            while (running.isAlive() && System.nanoTime() - end < 0) {
                try {
                    if (condition.holds() && running.isAlive()) {
                        return;
                    }
                    last = null;
                } catch (IOException e) {
                    last = e;
                }
                running.waitFor(10, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            last = e;
        }
        String why = running.isAlive()
                ? " did not " + what + " within " + longest.toMillis() + " ms" + (last == null ? "" : ", " + last)
                : " ended with status " + running.exitValue();
        throw new ServerStartException(
                this + why + "\ncommand: " + String.join(" ", command()) + "\nits log ends with\n" + logTail(), last);
    }

    /** Something to wait for. */
    @FunctionalInterface
    protected interface Condition {
        /** Whether it holds; an exception means "not yet". */
        boolean holds() throws IOException;
    }

    private void spawn() throws IOException {
        ParentWatch watch = ParentWatch.start(folder.root());
        Process started;
        try {
            started = spawn(command());
        } catch (IOException e) {
            watch.close();
            throw e;
        }
        process = started;
        watch.over(started.pid());
        started.onExit().thenRun(watch::close);
    }

    /**
     * A binary that this JVM has just unpacked is "busy" as long as a child that another thread was starting at that
     * moment still holds the descriptor it was written through. That lasts until the child's exec.
     */
    private Process spawn(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.data().toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.log().toFile()));
        builder.environment().putAll(environment());
        for (int i = 1; ; i++) {
            try {
                return builder.start();
            } catch (IOException e) {
                if (i == TEXT_FILE_BUSY_TRIES || !String.valueOf(e.getMessage()).contains("error=26")) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    private void drawPorts() {
        int[] drawn = IntStream.generate(LoopbackPorts::free)
                .distinct()
                .limit(ports.length)
                .toArray();
        synchronized (ports) {
            System.arraycopy(drawn, 0, ports, 0, drawn.length);
        }
    }

    private Process running(String what) {
        Process current = launched(what);
        if (!current.isAlive()) {
            throw new IllegalStateException(
                    this + " does not run, so it cannot " + what + "; it ended with status " + current.exitValue());
        }
        return current;
    }

    private Process launched(String what) {
        Process current = process;
        if (current == null) {
            throw new IllegalStateException(this + " does not run, so it cannot " + what + "; start it first");
        }
        return current;
    }

    private static List<ProcessHandle> tree(Process root) {
        List<ProcessHandle> tree = new ArrayList<>(root.descendants().toList());
        tree.add(root.toHandle());
        return tree;
    }

    private static void end(Process running) {
        List<ProcessHandle> children = running.descendants().toList();
        running.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        Exits.await(running);
        // A restart on the same data would find them using it.
        children.forEach(Signals::awaitGone);
    }
}
