package io.holdfast.tck.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Another JVM of the test, with the same classes. Killed when it is closed. Used by one thread at a time. */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    /** Starts it. */
    public ChildJvm(Class<?> main, String... arguments) throws IOException {
        this(List.of(), main, arguments);
    }

    /** Started by another command, to which the JVM's command line is appended. */
    public ChildJvm(List<String> starter, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(starter);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-Dorg.sqlite.tmpdir=" + System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir")),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The next line it prints, or null after its last. */
    public @Nullable String line() throws IOException {
        return output.readLine();
    }

    /** kill -9; returns when it is dead. What it printed can still be read. */
    public void kill() throws InterruptedException {
        process.toHandle().destroyForcibly(); // unlike Process.destroyForcibly, this leaves the pipe open
        process.waitFor();
    }

    /** Its exit code, once it has ended. */
    public int exitCode(Duration within) throws InterruptedException {
        if (!process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("the child did not end within " + within);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
