package io.holdfast.bench;

import io.holdfast.bench.report.JsonReport;
import io.holdfast.bench.report.Machine;
import io.holdfast.bench.report.MarkdownReport;
import io.holdfast.bench.report.Numbers;
import io.holdfast.bench.run.ForkedJvm;
import io.holdfast.bench.run.Outcome;
import io.holdfast.bench.run.Rounds;
import io.holdfast.bench.run.WorkloadResult;
import io.holdfast.bench.workload.Workload;
import io.holdfast.bench.workload.Workloads;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The command: measures the workloads and reports. Exit status 0 if everything was measured; 1 if a contestant was broken
 * or failed; 2 if the command line is wrong.
 */
public final class Bench {
    private final Rounds.Measurer measurer;
    private final List<Workload> workloads;
    private final PrintStream out;
    private final PrintStream err;

    public Bench(Rounds.Measurer measurer, List<Workload> workloads, PrintStream out, PrintStream err) {
        this.measurer = measurer;
        this.workloads = workloads;
        this.out = out;
        this.err = err;
    }

    /** See {@link BenchOptions#USAGE}. */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(new Bench(new ForkedJvm(Duration.ofMinutes(2)), Workloads.all(), out, System.err).run(args));
    }

    public int run(String... args) throws IOException {
        BenchOptions options;
        List<Workload> chosen;
        try {
            options = BenchOptions.parse(args);
            chosen = options.choose(workloads);
            if (!options.help() && !options.list()) {
                checkWritable(options.out());
            }
        } catch (IllegalArgumentException e) {
            err.println("holdfast bench: " + e.getMessage() + " (--help shows how)");
            return 2;
        }
        if (options.help()) {
            out.print(BenchOptions.USAGE);
        } else if (options.list()) {
            chosen.forEach(workload -> out.println(workload.id() + ": " + workload.question()));
        } else {
            return measure(options, chosen) ? 0 : 1;
        }
        return 0;
    }

    /** Before an hour of measuring, not after it. */
    private static void checkWritable(Path file) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            if (Files.isDirectory(file)) {
                throw new IOException("it is a folder");
            }
            if (Files.notExists(file)) {
                Files.createFile(file);
                Files.delete(file);
            } else if (!Files.isWritable(file)) {
                throw new IOException("no permission");
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("--out: cannot write " + file + ": " + e, e);
        }
    }

    private boolean measure(BenchOptions options, List<Workload> chosen) throws IOException {
        Machine machine = Machine.here();
        Rounds rounds = new Rounds(measurer, this::tell);
        List<WorkloadResult> results = new ArrayList<>();
        for (Workload workload : chosen) {
            out.println((results.size() + 1) + "/" + chosen.size() + " " + workload.id() + ": "
                    + workload.contestants().size() + " contestants, " + options.rounds() + " rounds");
            results.add(rounds.run(workload, options.runOf(workload), options.rounds()));
            // After every workload, so that a run that is cut short leaves what it had.
            Files.writeString(options.out(), JsonReport.of(machine, options.quick(), results));
        }
        out.println();
        out.print(MarkdownReport.of(machine, options.quick(), results));
        out.println();
        out.println("JSON: " + options.out());
        return results.stream().noneMatch(WorkloadResult::isBroken);
    }

    private void tell(Workload workload, int round, String contestant, Outcome outcome) {
        out.println(workload.id() + " round " + round + " " + contestant + ": " + text(outcome));
    }

    private static String text(Outcome outcome) {
        if (outcome instanceof Outcome.Measured measured) {
            List<String> violations = measured.measurement().violations();
            return violations.isEmpty()
                    ? measured.measurement().values().entrySet().stream()
                            .map(value -> Numbers.text(value.getValue()) + " " + value.getKey())
                            .collect(Collectors.joining(", "))
                    : "BROKEN: " + String.join("; ", violations);
        }
        return outcome instanceof Outcome.Failed failed
                ? "FAILED: " + failed.why()
                : "skipped: " + ((Outcome.Skipped) outcome).why();
    }
}
