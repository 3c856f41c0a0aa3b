package io.holdfast.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The command: measures the workloads and reports. Exit status 0 if everything was measured, whatever the verdicts; 1 if
 * a contestant was broken or failed; 2 if the command line is wrong.
 */
public final class Bench {
    private static final String PAGE = "index.html";

    private final Rounds.Measurer measurer;
    private final List<Workload> workloads;
    private final PrintStream out;

    Bench(Rounds.Measurer measurer, List<Workload> workloads, PrintStream out) {
        this.measurer = measurer;
        this.workloads = workloads;
        this.out = out;
    }

    /** See {@link BenchOptions#USAGE}. */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(new Bench(new ForkedJvm(Duration.ofMinutes(2)), Workloads.all(), out).run(args));
    }

    int run(String... args) throws IOException {
        BenchOptions options;
        List<Workload> chosen;
        try {
            options = BenchOptions.parse(args);
            chosen = options.choose(workloads);
        } catch (IllegalArgumentException e) {
            out.println(e.getMessage());
            out.print(BenchOptions.USAGE);
            return 2;
        }
        if (options.help()) {
            out.print(BenchOptions.USAGE);
        } else if (options.list()) {
            chosen.forEach(this::describe);
        } else {
            return measure(options, chosen) ? 0 : 1;
        }
        return 0;
    }

    private boolean measure(BenchOptions options, List<Workload> chosen) throws IOException {
        Machine machine = Machine.here();
        Rounds rounds = new Rounds(measurer, this::tell);
        List<WorkloadResult> results = new ArrayList<>();
        for (Workload workload : chosen) {
            Run run = options.runOf(workload);
            results.add(rounds.run(workload, run, options.rounds()));
            write(options, machine, results);
        }
        out.println();
        out.print(TextReport.of(machine, options.quick(), results));
        out.println();
        out.println("JSON: " + options.out());
        options.report().ifPresent(folder -> out.println("page: " + folder.resolve(PAGE)));
        return results.stream().noneMatch(WorkloadResult::isBroken);
    }

    private void tell(Workload workload, int round, String contestant, Outcome outcome) {
        String text = outcome instanceof Outcome.Measured measured
                ? measured.measurement().values().entrySet().stream()
                        .map(value -> Numbers.text(value.getValue()) + " " + value.getKey())
                        .reduce((a, b) -> a + ", " + b)
                        .orElse("nothing")
                : outcome.toString();
        out.println(workload.id() + " round " + round + " " + contestant + ": " + text);
    }

    private void describe(Workload workload) {
        out.println(workload.id() + ": " + workload.question());
        workload.bars().forEach(bar -> out.println("  " + bar.text(workload.baseline())));
    }

    /** After every workload, so that a run that is cut short leaves what it had. */
    private static void write(BenchOptions options, Machine machine, List<WorkloadResult> results) throws IOException {
        String json = JsonReport.of(machine, options.quick(), results);
        write(options.out(), json);
        if (options.report().isPresent()) {
            Path folder = options.report().get();
            write(folder.resolve("bench.json"), json);
            write(folder.resolve(PAGE), HtmlReport.of(machine, options.quick(), results));
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(file, text);
    }
}
