package io.holdfast.bench.command;

import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Runs a command again and again and takes the middle of its wall-clock times. */
public final class CommandTimes {
    public static final String MILLIS = "ms";
    private static final int LEAST = 3;

    private final List<String> command;
    private final Map<String, String> environment;
    private final Path folder;

    public CommandTimes(List<String> command, Map<String, String> environment, Path folder) {
        this.command = command;
        this.environment = environment;
        this.folder = folder;
    }

    /** The first run is not counted, whatever the warm-up is: it may build or unpack something. */
    public Measurement measure(Run run) throws IOException, InterruptedException {
        repeat(run.warmUp().toNanos(), 1);
        List<Long> times = repeat(run.measure().toNanos(), LEAST);
        Collections.sort(times);
        return Measurement.of(MILLIS, times.get(times.size() / 2) / 1e6);
    }

    private List<Long> repeat(long wantedNanos, int least) throws IOException, InterruptedException {
        List<Long> times = new ArrayList<>();
        long total = 0;
        while (total < wantedNanos || times.size() < least) {
            long time = once();
            times.add(time);
            total += time;
        }
        return times;
    }

    private long once() throws IOException, InterruptedException {
        Path log = folder.resolve("command.log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        long before = System.nanoTime();
        Process process = builder.start();
        int status = process.waitFor();
        long nanos = System.nanoTime() - before;
        if (status != 0) {
            throw new IOException(command + " ended with " + status + ": "
                    + new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip());
        }
        return nanos;
    }
}
