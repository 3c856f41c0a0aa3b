package io.holdfast.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A JVM that a contestant starts as another process, with its own class path; what it says, and why it ended. */
public final class ChildJvm implements AutoCloseable {
    private static final int TAIL = 15;

    private final Process process;
    private final BufferedReader output;
    private final Path log;

    private ChildJvm(Process process, Path log) {
        this.process = process;
        this.output = process.inputReader();
        this.log = log;
    }

    public static ChildJvm start(Class<?> main, List<String> jvmArguments, List<String> arguments) throws IOException {
        Path log = Files.createTempFile("holdfast-bench-", ".log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        try {
            return new ChildJvm(
                    new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
        } catch (IOException e) {
            Files.deleteIfExists(log);
            throw e;
        }
    }

    /** For the main of such a JVM: it does not outlive the process that started it. */
    public static void endWithTheParent() {
        ProcessHandle.current().parent().ifPresent(parent -> {
            CompletableFuture<Void> unused =
                    parent.onExit().thenRun(() -> Runtime.getRuntime().halt(3));
        });
    }

    /** Sends it a line. */
    public void ask() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Ends its standard input, which is how it is told to end. */
    public void tellToEnd() throws IOException {
        process.getOutputStream().close();
    }

    /** The number behind this word, at the beginning of the next line that has it. */
    public long answer(String word) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(word)) {
                return Long.parseLong(line.substring(word.length()));
            }
        }
        List<String> lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                .lines()
                .toList();
        throw new IOException("a process ended; it printed\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size())));
    }

    /** {@code kill -9}. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        kill();
        Files.deleteIfExists(log);
    }
}
