package io.holdfast.bench;

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
 * The command: measures the workloads and reports. Exit status 0 if everything was measured, whatever the verdicts; 1 if
 * a contestant was broken or failed; 2 if the command line is wrong.
 */
public final class Bench {
    private static final String PAGE = "index.html";

    private final Rounds.Measurer measurer;
    private final List<Workload> workloads;
    private final PrintStream out;
    private final PrintStream err;

    Bench(Rounds.Measurer measurer, List<Workload> workloads, PrintStream out, PrintStream err) {
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

    int run(String... args) throws IOException {
        BenchOptions options;
        List<Workload> chosen;
        try {
            options = BenchOptions.parse(args);
            chosen = options.choose(workloads);
            if (!options.help() && !options.list()) {
                writable(options);
            }
        } catch (IllegalArgumentException e) {
            err.println("holdfast bench: " + e.getMessage() + " (--help shows how)");
            return 2;
        }
        if (options.help()) {
            out.print(BenchOptions.USAGE);
        } else if (options.list()) {
            chosen.forEach(workload -> describe(options.plan(workload)));
            Duration all = chosen.stream()
                    .map(workload -> options.plan(workload).expected())
                    .reduce(Duration.ZERO, Duration::plus);
            out.println(chosen.size() + " workloads, about " + Schedule.text(all));
        } else {
            return measure(options, chosen) ? 0 : 1;
        }
        return 0;
    }

    /** Found out before an hour of measuring, not after. */
    private static void writable(BenchOptions options) {
        options.report().ifPresent(folder -> writable("--report", folder.resolve(PAGE)));
        writable("--out", options.out());
    }

    private static void writable(String option, Path file) {
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
            throw new IllegalArgumentException(option + ": cannot write " + file + ": " + e, e);
        }
    }

    private boolean measure(BenchOptions options, List<Workload> chosen) throws IOException {
        Machine machine = Machine.here();
        Rounds rounds = new Rounds(measurer, this::tell);
        Schedule schedule = new Schedule(chosen.stream().map(options::plan).toList());
        List<WorkloadResult> results = new ArrayList<>();
        for (Schedule.Planned next : schedule.plan()) {
            announce(schedule, next, results.size());
            long start = System.nanoTime();
            results.add(rounds.run(next.workload(), next.run(), next.rounds()));
            schedule.done(next, Duration.ofNanos(System.nanoTime() - start));
            write(options, machine, results);
        }
        out.println();
        out.print(TextReport.of(machine, options.quick(), results));
        out.println();
        out.println("JSON: " + options.out());
        options.report().ifPresent(folder -> out.println("page: " + folder.resolve(PAGE)));
        return results.stream().noneMatch(WorkloadResult::isBroken);
    }

    private void announce(Schedule schedule, Schedule.Planned next, int done) {
        out.println((done + 1) + "/" + schedule.plan().size() + " "
                + next.workload().id() + ": "
                + next.workload().contestants().size() + " contestants, " + next.rounds() + " rounds; about "
                + Schedule.text(schedule.left(next)) + " left");
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

    private void describe(Schedule.Planned planned) {
        Workload workload = planned.workload();
        out.println(workload.id() + ": " + workload.question() + " (about " + Schedule.text(planned.expected()) + ")");
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
