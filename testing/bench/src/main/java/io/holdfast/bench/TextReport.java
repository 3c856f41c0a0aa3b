package io.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The whole run for people: a table per workload and a line per bar. */
final class TextReport {
    private final StringBuilder out = new StringBuilder();

    private TextReport() {}

    static String of(Machine machine, boolean quick, List<WorkloadResult> results) {
        TextReport report = new TextReport();
        report.line(machine.date() + "  commit " + machine.commit() + "  JDK " + machine.jdk() + "  " + machine.os()
                + "  " + machine.cores() + " cores, " + machine.cpu());
        if (machine.isBusy()) {
            report.line("The machine was busy before the run (load " + Numbers.text(machine.load())
                    + "): measure again on a quiet one.");
        }
        if (quick) {
            report.line("A quick run: it shows that the tool works. Its numbers and verdicts are not results.");
        }
        results.forEach(report::workload);
        return report.out.toString();
    }

    private void workload(WorkloadResult result) {
        Workload workload = result.workload();
        line("");
        line(workload.id() + ": " + workload.question());
        line("  " + result.rounds().size() + " rounds, each "
                + result.run().measure().toMillis() + " ms after "
                + result.run().warmUp().toMillis() + " ms of warm-up; median (range)"
                + (result.decides() ? "" : "; a verdict needs " + BenchOptions.ROUNDS + " rounds"));
        List<List<String>> rows = new ArrayList<>();
        boolean compares = !workload.baseline().isEmpty();
        rows.add(List.of("contestant", "metric", "value", compares ? "ratio to " + workload.baseline() : ""));
        for (Contestant contestant : workload.contestants()) {
            String name = contestant.name();
            for (String metric : result.metrics(name)) {
                String ratio = name.equals(workload.baseline())
                        ? "baseline"
                        : result.ratios(name, metric).map(Numbers::text).orElse("");
                rows.add(
                        result.isBroken(name)
                                ? List.of(name, metric, "broken", "")
                                : List.of(
                                        name,
                                        metric,
                                        result.values(name, metric)
                                                .map(Numbers::text)
                                                .orElse(""),
                                        ratio));
            }
        }
        table(rows);
        BestPeer.of(result).forEach((metric, best) -> bestPeer(best));
        result.bars().forEach((bar, judged) -> bar(bar, judged, workload.baseline()));
        result.complaints().forEach(text -> line("  " + text.replace("\n", "\n    ")));
    }

    private void bestPeer(BestPeer best) {
        StringBuilder ours = new StringBuilder();
        best.ours()
                .forEach((name, ratio) -> ours.append("; ")
                        .append(name)
                        .append(" ")
                        .append(Numbers.text(ratio))
                        .append(" ×"));
        line("  best peer in " + best.metric() + ": " + best.name() + " " + Numbers.text(best.value()) + ours);
    }

    private void bar(Bar bar, Bar.Result judged, String baseline) {
        Spread spread = judged.spread();
        String number = spread == null ? "" : ": " + Numbers.text(spread);
        String reason = judged.reason().isEmpty() ? "" : " (" + judged.reason() + ")";
        line("  " + pad(judged.verdict().toString().toUpperCase(Locale.ROOT), 12) + "  " + bar.text(baseline)
                + (judged.verdict() == Verdict.BROKEN ? "" : number) + reason);
    }

    private void table(List<List<String>> rows) {
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        for (List<String> row : rows) {
            StringBuilder text = new StringBuilder(" ");
            for (int i = 0; i < row.size(); i++) {
                text.append(' ').append(pad(row.get(i), widths[i])).append(' ');
            }
            line(text.toString().stripTrailing());
        }
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
