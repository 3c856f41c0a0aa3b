package io.holdfast.bench.report;

import io.holdfast.bench.workload.Spread;
import java.util.Locale;

/** Numbers as text: at most four digits. */
public final class Numbers {
    private Numbers() {}

    public static String text(double value) {
        double size = Math.abs(value);
        if (value == Math.rint(value) && size < 1e15) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        return String.format(
                Locale.ROOT, size >= 1000 ? "%,.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f", value);
    }

    public static String text(Spread spread) {
        return text(spread.median()) + " (" + text(spread.min()) + "–" + text(spread.max()) + ")";
    }
}
