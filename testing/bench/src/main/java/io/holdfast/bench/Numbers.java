package io.holdfast.bench;

import java.util.Locale;

/** Numbers for people: four digits, no more. */
final class Numbers {
    private Numbers() {}

    static String text(double value) {
        double size = Math.abs(value);
        if (value == Math.rint(value) && size < 1e15) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        return String.format(
                Locale.ROOT, size >= 1000 ? "%,.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f", value);
    }

    /** A number that somebody wrote, as written: without zeros at the end. */
    static String limit(double value) {
        return text(value).replaceAll("(\\.[0-9]*?)0+$", "$1").replaceAll("\\.$", "");
    }

    static String text(Spread spread) {
        return text(spread.median()) + " (" + text(spread.min()) + "–" + text(spread.max()) + ")";
    }
}
