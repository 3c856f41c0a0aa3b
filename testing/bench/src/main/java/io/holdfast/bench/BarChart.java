package io.holdfast.bench;

import static io.holdfast.bench.Markup.at;
import static io.holdfast.bench.Markup.escape;

import java.util.List;
import java.util.Optional;

/**
 * One metric of one workload: a bar per contestant up to its median, with a line over its range. If the largest number is
 * far above the smallest, points on a logarithmic scale instead: a bar's length would lie there. Whoever was broken has
 * neither: fast and wrong is not fast.
 */
final class BarChart {
    private static final int ROW = 26;
    private static final int LABEL = 200;
    private static final int PLOT = 330;
    private static final int WIDTH = 860;
    private static final int AXIS = 22;
    private static final double LOGARITHMIC_FROM = 30;

    private final StringBuilder svg = new StringBuilder();
    private final WorkloadResult result;
    private final String metric;
    private final double least;
    private final double most;
    private final boolean logarithmic;

    private BarChart(WorkloadResult result, String metric) {
        this.result = result;
        this.metric = metric;
        List<Spread> all = result.workload().contestants().stream()
                .filter(contestant -> !result.isBroken(contestant.name()))
                .flatMap(contestant -> result.values(contestant.name(), metric).stream())
                .toList();
        this.most = all.stream().mapToDouble(Spread::max).max().orElse(0);
        this.least = all.stream().mapToDouble(Spread::min).min().orElse(0);
        this.logarithmic = least > 0 && most / least > LOGARITHMIC_FROM;
    }

    static String of(WorkloadResult result, String metric) {
        return new BarChart(result, metric).draw();
    }

    private String draw() {
        List<Contestant> rows = result.workload().contestants().stream()
                .filter(contestant -> result.isBroken(contestant.name())
                        || result.values(contestant.name(), metric).isPresent())
                .toList();
        int height = rows.size() * ROW + 4 + (logarithmic ? AXIS : 0);
        String title = escape(metric + ", median and range" + (logarithmic ? ", logarithmic scale" : ""));
        svg.append("<svg role=\"img\" aria-label=\"")
                .append(title)
                .append("\" viewBox=\"0 0 " + WIDTH + " " + height + "\" width=\"" + WIDTH + "\">\n<title>")
                .append(title)
                .append("</title>\n");
        if (logarithmic) {
            axis(rows.size() * ROW);
        }
        Optional<String> best =
                Optional.ofNullable(BestPeer.of(result).get(metric)).map(BestPeer::name);
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), i * ROW, best);
        }
        return svg.append("</svg>\n").toString();
    }

    /** A line at each power of ten. */
    private void axis(int bottom) {
        for (int power = (int) Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
            double x = LABEL + length(Math.pow(10, power));
            svg.append("<path class=\"grid\" d=\"M" + at(x) + " 2V" + bottom + "\"/>\n");
            text(x, bottom + 15, "middle", "value", Numbers.text(Math.pow(10, power)));
        }
    }

    private void row(Contestant contestant, int top, Optional<String> best) {
        String name = contestant.name();
        text(LABEL - 8, top + 17, "end", "label", name);
        if (result.isBroken(name)) {
            text(LABEL, top + 17, "start", "broken", "broken: see below");
            return;
        }
        result.values(name, metric).ifPresent(value -> {
            double low = LABEL + length(value.min());
            double middle = LABEL + length(value.median());
            double high = LABEL + length(value.max());
            double line = top + ROW / 2.0;
            if (logarithmic) {
                svg.append("<circle class=\"" + contestant.kind() + "\" cx=\"" + at(middle) + "\" cy=\"" + at(line)
                        + "\" r=\"6\"/>\n");
            } else {
                svg.append("<rect class=\"" + contestant.kind() + "\" x=\"" + LABEL + "\" y=\"" + (top + 4)
                        + "\" width=\"" + at(middle - LABEL) + "\" height=\"" + (ROW - 8) + "\"/>\n");
            }
            svg.append("<path class=\"range\" d=\"M" + at(low) + " " + at(line) + "H" + at(high) + "M" + at(low) + " "
                    + at(line - 4) + "v8M" + at(high) + " " + at(line - 4) + "v8\"/>\n");
            String mark = best.isPresent() && best.get().equals(name) ? "  ★ best peer" : "";
            text(Math.max(high, middle) + 12, top + 17, "start", "value", Numbers.text(value) + mark);
        });
    }

    private double length(double value) {
        if (logarithmic) {
            double from = Math.floor(Math.log10(least));
            return (Math.log10(value) - from) / (Math.ceil(Math.log10(most)) - from) * PLOT;
        }
        return most <= 0 ? 0 : Math.max(0, value) / most * PLOT;
    }

    private void text(double x, double y, String anchor, String kind, String text) {
        svg.append("<text class=\"" + kind + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor
                + "\">" + escape(text) + "</text>\n");
    }
}
