package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of a test: usually the command in a JVM of its own. Closing it kills it. */
final class Spawned implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;

    private Spawned(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** {@code holdfast args…} on a store. */
    static Spawned holdfast(Path folder, String store, String... args) {
        return start(folder, Map.of(Holdfast.STORE_VARIABLE, store), holdfastLine(args));
    }

    /** The words that start the command in a JVM of its own. */
    static List<String> holdfastLine(String... args) {
        List<String> line = new ArrayList<>(List.of(
                // A shell that starts the tests in the background makes them ignore some signals.
                "env",
                "--default-signal=INT,HUP,TERM,QUIT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dfile.encoding=UTF-8",
                "-Dsun.jnu.encoding=UTF-8",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        line.addAll(List.of(args));
        return line;
    }

    /** Any process, in a session of its own: so that the terminal of the tests plays no part. */
    static Spawned start(Path folder, Map<String, String> environment, List<String> line) {
        try {
            Path out = Files.createTempFile(folder, "out", ".txt");
            Path err = Files.createTempFile(folder, "err", ".txt");
            List<String> words = new ArrayList<>(List.of("setsid"));
            words.addAll(line);
            ProcessBuilder builder = new ProcessBuilder(words)
                    .directory(folder.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
            builder.environment().put("LC_ALL", "C.UTF-8");
            builder.environment().putAll(environment);
            return new Spawned(builder.start(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    Process process() {
        return process;
    }

    /** Waits for the end. */
    int exitCode() {
        try {
            assertThat(process.waitFor(TimeScale.patience().toMillis(), TimeUnit.MILLISECONDS))
                    .as("the command ends; so far: %s %s", out(), err())
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    Spawned signal(String name) {
        signal(name, pid());
        return this;
    }

    static void signal(String name, long pid) {
        assertThat(tryToSignal(name, pid)).as("kill -s %s %s", name, pid).isTrue();
    }

    /** False if there is no such process any more. */
    static boolean tryToSignal(String name, long pid) {
        try {
            return new ProcessBuilder("sh", "-c", "kill -s " + name + " " + pid)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until something was printed to the error output. */
    Spawned awaitErr(String text) {
        await().atMost(TimeScale.patience())
                .untilAsserted(() -> assertThat(err()).contains(text));
        return this;
    }

    String out() {
        return text(out);
    }

    String err() {
        return text(err);
    }

    static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
