package io.holdfast.bench.run;

import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import io.holdfast.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The main class of a contestant's JVM. */
public final class ContestantMain {
    private ContestantMain() {}

    /** Arguments: workload, contestant, nanoseconds of warm-up and measurement, quick, result file. */
    public static void main(String[] args) {
        endWithTheHarness();
        int status = 1;
        try {
            measure(args);
            status = 0;
        } catch (Exception e) {
            e.printStackTrace(System.err);
        }
        // A contestant may leave threads behind, above all one that failed; the measurement is what counts.
        System.exit(status);
    }

    private static void measure(String[] args) throws Exception {
        Contestant contestant = find(Workloads.all(), args[0], args[1]);
        Run run = new Run(
                Duration.ofNanos(Long.parseLong(args[2])),
                Duration.ofNanos(Long.parseLong(args[3])),
                Boolean.parseBoolean(args[4]));
        MeasurementFile.write(Path.of(args[5]), contestant.measure(run));
    }

    private static Contestant find(List<Workload> workloads, String workload, String contestant) {
        return workloads.stream()
                .filter(candidate -> candidate.id().equals(workload))
                .flatMap(candidate -> candidate.contestants().stream())
                .filter(candidate -> candidate.name().equals(contestant))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contestant " + contestant + " in " + workload));
    }

    /** The harness holds the other end of our standard input; when it is gone, so are we. */
    private static void endWithTheHarness() {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Ends when the harness closes the pipe.
                        }
                    } catch (IOException brokenPipe) {
                        // As good as its end.
                    }
                    Runtime.getRuntime().halt(3);
                },
                "harness-watch");
        watch.setDaemon(true);
        watch.start();
    }
}
