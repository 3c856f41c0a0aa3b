package io.holdfast.bench;

import static io.holdfast.bench.Markup.at;
import static io.holdfast.bench.Markup.escape;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * A {@link Curve}: sizes from left to right, each the same distance from the next; the number upwards, from zero, or on a
 * logarithmic scale if its largest is far above its smallest. A line per contestant through the medians, with ranges.
 */
final class LineChart {
    private static final int LEFT = 80;
    private static final int RIGHT = 520;
    private static final int TOP = 14;
    private static final int BOTTOM = 210;
    private static final int WIDTH = 760;
    private static final int LINES = 6;
    private static final double LOGARITHMIC_FROM = 30;

    private final StringBuilder svg = new StringBuilder();
    private final Curve curve;
    private final List<Long> sizes;
    private final double low;
    private final double high;
    private final boolean logarithmic;

    private LineChart(Curve curve) {
        this.curve = curve;
        this.sizes = new ArrayList<>(new TreeSet<>(curve.points().values().stream()
                .flatMap(points -> points.keySet().stream())
                .toList()));
        List<Spread> all = curve.points().values().stream()
                .map(Map::values)
                .flatMap(Collection::stream)
                .toList();
        this.high = all.stream().mapToDouble(Spread::max).max().orElse(1);
        this.low = all.stream().mapToDouble(Spread::min).min().orElse(0);
        this.logarithmic = low > 0 && high / low > LOGARITHMIC_FROM;
    }

    static String of(Curve curve) {
        return new LineChart(curve).draw();
    }

    private String draw() {
        String title = escape(curve.metric() + " by size" + (logarithmic ? ", logarithmic scale" : ""));
        svg.append("<svg role=\"img\" aria-label=\"" + title + "\" viewBox=\"0 0 " + WIDTH + " 240\" width=\"" + WIDTH
                + "\">\n<title>" + title + "</title>\n");
        axes();
        int index = 0;
        for (Map.Entry<String, SortedMap<Long, Spread>> line : curve.points().entrySet()) {
            line(line.getKey(), line.getValue(), index++);
        }
        return svg.append("</svg>\n").toString();
    }

    private void axes() {
        svg.append("<path class=\"axis\" d=\"M" + LEFT + " " + TOP + "V" + BOTTOM + "H" + RIGHT + "\"/>\n");
        for (double tick : new double[] {bottomValue(), middleValue(), high}) {
            text(LEFT - 8, y(tick) + 4, "end", "value", Numbers.text(tick));
            svg.append("<path class=\"grid\" d=\"M" + LEFT + " " + at(y(tick)) + "H" + RIGHT + "\"/>\n");
        }
        for (long size : sizes) {
            text(x(size), BOTTOM + 18, "middle", "value", Numbers.text((double) size));
        }
    }

    private void line(String name, SortedMap<Long, Spread> points, int index) {
        String style = "line line" + index % LINES;
        StringBuilder path = new StringBuilder();
        points.forEach((size, spread) ->
                path.append(path.isEmpty() ? "M" : "L").append(at(x(size)) + " " + at(y(spread.median()))));
        points.forEach((size, spread) ->
                path.append("M" + at(x(size)) + " " + at(y(spread.min())) + "V" + at(y(spread.max()))));
        svg.append("<path class=\"" + style + "\" d=\"" + path + "\"/>\n");
        points.forEach((size, spread) -> svg.append("<circle class=\"" + style + "\" cx=\"" + at(x(size)) + "\" cy=\""
                + at(y(spread.median())) + "\" r=\"3\"><title>"
                + escape(name + " at " + Numbers.text((double) size) + ": " + Numbers.text(spread))
                + "</title></circle>\n"));
        double legend = TOP + 10 + index * 20;
        svg.append("<path class=\"" + style + "\" d=\"M" + (RIGHT + 16) + " " + at(legend - 4) + "h20\"/>\n");
        text(RIGHT + 42, legend, "start", "label", name);
    }

    private double bottomValue() {
        return logarithmic ? low : 0;
    }

    private double middleValue() {
        return logarithmic ? Math.sqrt(low * high) : high / 2;
    }

    private double x(long size) {
        int last = Math.max(1, sizes.size() - 1);
        return LEFT + 20 + (RIGHT - LEFT - 40.0) * sizes.indexOf(size) / last;
    }

    private double y(double value) {
        double part =
                logarithmic ? Math.log(value / low) / Math.log(high / low) : high <= 0 ? 0 : Math.max(0, value) / high;
        return BOTTOM - part * (BOTTOM - TOP);
    }

    private void text(double x, double y, String anchor, String kind, String text) {
        svg.append("<text class=\"" + kind + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor
                + "\">" + escape(text) + "</text>\n");
    }
}
