package io.holdfast.bench;

import static io.holdfast.bench.Markup.at;
import static io.holdfast.bench.Markup.escape;

import java.util.List;
import java.util.Optional;

/**
 * One metric of one workload: a bar per contestant up to its median, with a line over its range. Whoever was broken has
 * no bar: fast and wrong is not fast.
 */
final class BarChart {
    private static final int ROW = 26;
    private static final int LABEL = 200;
    private static final int PLOT = 360;
    private static final int WIDTH = 760;

    private final StringBuilder svg = new StringBuilder();
    private final WorkloadResult result;
    private final String metric;
    private final double most;

    private BarChart(WorkloadResult result, String metric) {
        this.result = result;
        this.metric = metric;
        this.most = result.workload().contestants().stream()
                .filter(contestant -> !result.isBroken(contestant.name()))
                .flatMap(contestant -> result.values(contestant.name(), metric).stream())
                .mapToDouble(Spread::max)
                .max()
                .orElse(0);
    }

    static String of(WorkloadResult result, String metric) {
        return new BarChart(result, metric).draw();
    }

    private String draw() {
        List<Contestant> rows = result.workload().contestants().stream()
                .filter(contestant -> result.isBroken(contestant.name())
                        || result.values(contestant.name(), metric).isPresent())
                .toList();
        int height = rows.size() * ROW + 4;
        String title = escape(metric + ", median and range");
        svg.append("<svg role=\"img\" aria-label=\"")
                .append(title)
                .append("\" viewBox=\"0 0 " + WIDTH + " " + height + "\" width=\"" + WIDTH + "\">\n<title>")
                .append(title)
                .append("</title>\n");
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), i * ROW);
        }
        return svg.append("</svg>\n").toString();
    }

    private void row(Contestant contestant, int top) {
        String name = contestant.name();
        text(LABEL - 8, top + 17, "end", "label", name);
        Optional<Spread> spread = result.values(name, metric);
        if (result.isBroken(name)) {
            text(LABEL, top + 17, "start", "broken", "broken: see below");
            return;
        }
        spread.ifPresent(value -> {
            svg.append("<rect class=\"" + contestant.kind() + "\" x=\"" + LABEL + "\" y=\"" + (top + 4) + "\" width=\""
                    + at(length(value.median())) + "\" height=\"" + (ROW - 8) + "\"/>\n");
            double low = LABEL + length(value.min());
            double high = LABEL + length(value.max());
            double middle = top + ROW / 2.0;
            svg.append("<path class=\"range\" d=\"M" + at(low) + " " + at(middle) + "H" + at(high) + "M" + at(low) + " "
                    + at(middle - 4) + "v8M" + at(high) + " " + at(middle - 4) + "v8\"/>\n");
            text(Math.max(high, LABEL + length(value.median())) + 8, top + 17, "start", "value", Numbers.text(value));
        });
    }

    private double length(double value) {
        return most <= 0 ? 0 : Math.max(0, value) / most * PLOT;
    }

    private void text(double x, double y, String anchor, String kind, String text) {
        svg.append("<text class=\"" + kind + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor
                + "\">" + escape(text) + "</text>\n");
    }
}
