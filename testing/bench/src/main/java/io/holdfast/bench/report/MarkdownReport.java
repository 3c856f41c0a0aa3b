package io.holdfast.bench.report;

import io.holdfast.bench.run.WorkloadResult;
import io.holdfast.bench.workload.Contestant;
import java.util.List;
import java.util.Optional;

/** The whole run as one Markdown table: a row per workload, contestant and metric. */
public final class MarkdownReport {
    private final StringBuilder out = new StringBuilder();

    private MarkdownReport() {}

    public static String of(Machine machine, boolean quick, List<WorkloadResult> results) {
        MarkdownReport report = new MarkdownReport();
        report.line(
                machine.date() + ", commit " + machine.commit() + ", JDK " + machine.jdk() + ", " + machine.os() + ", "
                        + machine.cores() + " cores, " + machine.cpu() + "; " + rounds(results)
                        + " rounds, median (range). A ratio is taken within each round.");
        if (machine.isBusy()) {
            report.line("The machine was busy before the run (load " + Numbers.text(machine.load()) + ").");
        }
        if (quick) {
            report.line("A quick run: it shows that the tool works. Its numbers are not results.");
        }
        report.line("");
        report.line("| workload | contestant | metric | value | ratio to the best peer |");
        report.line("| --- | --- | --- | --- | --- |");
        results.forEach(report::rows);
        results.stream()
                .flatMap(result -> result.complaints().stream()
                        .map(text -> result.workload().id() + ": " + text))
                .forEach(text -> report.line("\n" + text));
        return report.out.toString();
    }

    private static int rounds(List<WorkloadResult> results) {
        return results.stream().mapToInt(result -> result.rounds().size()).max().orElse(0);
    }

    private void rows(WorkloadResult result) {
        for (Contestant contestant : result.workload().contestants()) {
            String name = contestant.name();
            for (String metric : result.metrics(name)) {
                boolean broken = result.isBroken(name);
                row(
                        result.workload().id(),
                        name,
                        metric,
                        broken
                                ? "broken"
                                : result.values(name, metric).map(Numbers::text).orElse(""),
                        broken ? "" : ratio(result, name, metric));
            }
        }
    }

    private static String ratio(WorkloadResult result, String contestant, String metric) {
        Optional<String> peer = result.reference(metric);
        if (peer.isEmpty()) {
            return "";
        }
        return peer.get().equals(contestant)
                ? "1"
                : result.ratios(contestant, metric, peer.get())
                        .map(ratio -> Numbers.text(ratio) + " × " + peer.get())
                        .orElse("");
    }

    private void row(String... cells) {
        line("| " + String.join(" | ", cells) + " |");
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
