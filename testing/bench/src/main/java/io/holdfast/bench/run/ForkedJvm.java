package io.holdfast.bench.run;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures each contestant in a JVM of its own, with the class path of the harness. */
public final class ForkedJvm implements Rounds.Measurer {
    private static final int TAIL = 15;

    private final Duration grace;

    /** A contestant that takes longer than three times its run plus {@code grace} has failed. */
    public ForkedJvm(Duration grace) {
        this.grace = grace;
    }

    @Override
    public Outcome measure(Workload workload, Contestant contestant, Run run) {
        try {
            Path folder = Files.createTempDirectory("holdfast-bench-");
            Path result = folder.resolve("result");
            Path log = folder.resolve("log");
            try {
                return fork(command(workload, contestant, run, result), run, result, log);
            } finally {
                Files.deleteIfExists(result);
                Files.deleteIfExists(log);
                Files.delete(folder);
            }
        } catch (IOException e) {
            return new Outcome.Failed(e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.Failed("interrupted");
        }
    }

    private Outcome fork(List<String> command, Run run, Path result, Path log)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            Duration limit = run.warmUp().plus(run.measure()).multipliedBy(3).plus(grace);
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Outcome.Failed("no result within " + limit.toSeconds() + " s\n" + tail(log));
            }
            int status = process.exitValue();
            return status == 0
                    ? new Outcome.Measured(MeasurementFile.read(result))
                    : new Outcome.Failed("exit status " + status + "\n" + tail(log));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    public static List<String> command(Workload workload, Contestant contestant, Run run, Path result) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(contestant.jvmArguments());
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("holdfast."))
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                ContestantMain.class.getName(),
                workload.id(),
                contestant.name(),
                Long.toString(run.warmUp().toNanos()),
                Long.toString(run.measure().toNanos()),
                Boolean.toString(run.quick()),
                result.toString()));
        return command;
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return lines.isEmpty()
                ? "it printed nothing"
                : "it printed\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    }
}
