package io.holdfast.bench;

import static io.holdfast.bench.Markup.escape;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The whole run as one page with charts, which needs nothing but itself: no script, no network. */
final class HtmlReport {
    private final StringBuilder out = new StringBuilder();

    private HtmlReport() {}

    static String of(Machine machine, boolean quick, List<WorkloadResult> results) {
        HtmlReport report = new HtmlReport();
        report.head(machine, quick);
        report.verdicts(results);
        report.versions(machine.versions());
        results.forEach(report::workload);
        report.out.append("</body>\n</html>\n");
        return report.out.toString();
    }

    private void head(Machine machine, boolean quick) {
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>Holdfast benchmark</title>\n<style>\n")
                .append(style())
                .append("</style>\n</head>\n<body>\n<h1>Holdfast benchmark</h1>\n");
        paragraph(
                "faint",
                machine.date() + " · commit " + machine.commit() + " · JDK " + machine.jdk() + " · " + machine.os()
                        + " · " + machine.cores() + " cores, " + machine.cpu() + " · load before "
                        + Numbers.text(machine.load()));
        if (machine.isBusy()) {
            paragraph("notice", "The machine was busy before the run: take the numbers as a hint, and measure again.");
        }
        if (quick) {
            paragraph("notice", "A quick run: it shows that the tool works. Its numbers and verdicts are not results.");
        }
        paragraph(
                "faint",
                "Every comparison is made within a round, between numbers measured next to each other; shown are the "
                        + "median over the rounds and, in brackets, the range. A bar is met if every round reaches it, "
                        + "missed if none does, undecided if the range straddles it.");
        out.append("<p class=\"key faint\"><span class=\"holdfast\">Holdfast</span><span class=\"peer\">peer</span>")
                .append("<span class=\"floor\">floor: the least work for the same effect</span></p>\n");
    }

    /** How many of each. */
    private void counts(List<WorkloadResult> results) {
        Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
        results.forEach(
                result -> result.bars().values().forEach(judged -> counts.merge(judged.verdict(), 1, Integer::sum)));
        out.append("<p class=\"counts\">");
        counts.forEach((verdict, count) -> out.append(count + " × " + badge(verdict) + " "));
        out.append("</p>\n");
    }

    private void verdicts(List<WorkloadResult> results) {
        counts(results);
        table("verdicts", "workload", "verdict", "bar", "measured");
        for (WorkloadResult result : results) {
            String id = escape(result.workload().id());
            String link = "<a href=\"#" + id + "\">" + id + "</a>";
            result.bars()
                    .forEach((bar, judged) -> row(
                            link,
                            badge(judged.verdict()),
                            escape(bar.text(result.workload().baseline())),
                            measured(judged)));
            if (result.bars().isEmpty()) {
                row(link, result.isBroken() ? badge(Verdict.BROKEN) : "", "no bar", "");
            }
        }
        endTable();
    }

    private void versions(Map<String, String> all) {
        out.append("<h3>Versions, as the libraries tell them</h3>\n");
        paragraph("faint", text(Versions.ofContestants(all)));
        out.append("<details class=\"faint\"><summary>everything on the class path</summary>\n");
        paragraph("faint", text(all));
        out.append("</details>\n");
    }

    private void workload(WorkloadResult result) {
        Workload workload = result.workload();
        out.append("<h2 id=\"" + escape(workload.id()) + "\">" + escape(workload.id()) + "</h2>\n");
        paragraph("", workload.question());
        paragraph(
                "faint",
                result.rounds().size() + " rounds, each "
                        + result.run().measure().toMillis() + " ms after "
                        + result.run().warmUp().toMillis() + " ms of warm-up"
                        + (result.decides() ? "" : "; a verdict needs " + BenchOptions.ROUNDS + " rounds"));
        bars(result);
        List<Curve> curves = Curve.of(result);
        for (Curve curve : curves) {
            chart(curve.metric() + " by size", LineChart.of(curve));
        }
        for (String metric : result.metrics()) {
            if (Curve.of(metric).isEmpty()) {
                chart(
                        metric + (workload.moreIsBetter(metric) ? " (more is better)" : " (less is better)"),
                        BarChart.of(result, metric));
            }
        }
        numbers(result);
        if (!result.complaints().isEmpty()) {
            out.append("<div class=\"trouble\">")
                    .append(escape(String.join("\n", result.complaints())))
                    .append("</div>\n");
        }
    }

    private void bars(WorkloadResult result) {
        result.bars()
                .forEach((bar, judged) -> out.append("<p>")
                        .append(badge(judged.verdict()))
                        .append(" ")
                        .append(escape(bar.text(result.workload().baseline())))
                        .append(" <span class=\"faint\">")
                        .append(measured(judged))
                        .append("</span></p>\n"));
    }

    private void numbers(WorkloadResult result) {
        String baseline = result.workload().baseline();
        Map<String, BestPeer> best = BestPeer.of(result);
        table(
                "numbers",
                "contestant",
                "kind",
                "median (range)",
                baseline.isEmpty() ? "" : "ratio to " + baseline,
                "ratio to best peer");
        for (String metric : result.metrics()) {
            out.append("<tr><th class=\"metric\" colspan=\"5\" scope=\"rowgroup\">" + escape(metric) + "</th></tr>\n");
            for (Contestant contestant : result.workload().contestants()) {
                Optional<Spread> value = result.values(contestant.name(), metric);
                if (value.isPresent()) {
                    boolean broken = result.isBroken(contestant.name());
                    row(
                            escape(contestant.name()),
                            contestant.kind().toString(),
                            broken ? badge(Verdict.BROKEN) : Numbers.text(value.get()),
                            broken ? "" : ratio(result, contestant, metric),
                            broken ? "" : toBestPeer(contestant, Optional.ofNullable(best.get(metric))));
                }
            }
        }
        endTable();
        if (best.isEmpty()) {
            paragraph("faint", "No peer takes part in this workload, or none was sound.");
        }
    }

    private static String ratio(WorkloadResult result, Contestant contestant, String metric) {
        return contestant.name().equals(result.workload().baseline())
                ? "baseline"
                : result.ratios(contestant.name(), metric).map(Numbers::text).orElse("");
    }

    private static String toBestPeer(Contestant contestant, Optional<BestPeer> best) {
        if (best.isEmpty()) {
            return "no peer";
        }
        if (contestant.name().equals(best.get().name())) {
            return "★ best peer";
        }
        return Optional.ofNullable(best.get().ours().get(contestant.name()))
                .map(ratio -> Numbers.text(ratio) + " × " + escape(best.get().name()))
                .orElse("");
    }

    private void chart(String title, String svg) {
        out.append("<h3>" + escape(title) + "</h3>\n<div class=\"scroll\">\n" + svg + "</div>\n");
    }

    private static String badge(Verdict verdict) {
        return "<span class=\"verdict " + verdict.toString().replace(' ', '-') + "\">" + verdict.sign() + " " + verdict
                + "</span>";
    }

    /** A broken contestant's speed is not shown. */
    private static String measured(Bar.Result judged) {
        Spread spread = judged.spread();
        String number = spread == null || judged.verdict() == Verdict.BROKEN ? "" : Numbers.text(spread);
        return number + escape(judged.reason().isEmpty() ? "" : " (" + judged.reason() + ")");
    }

    private static String text(Map<String, String> versions) {
        return versions.isEmpty()
                ? "none"
                : versions.entrySet().stream()
                        .map(version -> version.getKey() + " " + version.getValue())
                        .collect(Collectors.joining(" · "));
    }

    private void paragraph(String kind, String text) {
        out.append(kind.isEmpty() ? "<p>" : "<p class=\"" + kind + "\">")
                .append(escape(text))
                .append("</p>\n");
    }

    private void table(String kind, String... titles) {
        out.append("<div class=\"scroll\"><table class=\"" + kind + "\">\n<tr>");
        for (String title : titles) {
            out.append("<th>").append(escape(title)).append("</th>");
        }
        out.append("</tr>\n");
    }

    /** Cells are HTML already. */
    private void row(String... cells) {
        out.append("<tr>");
        for (String cell : cells) {
            out.append("<td>").append(cell).append("</td>");
        }
        out.append("</tr>\n");
    }

    private void endTable() {
        out.append("</table></div>\n");
    }

    private static String style() {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
            if (in == null) {
                throw new IllegalStateException("report.css is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
