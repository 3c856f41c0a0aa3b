package io.holdfast.bench;

import java.util.Locale;

/** Text and numbers inside HTML and SVG. */
final class Markup {
    private Markup() {}

    /** Text that came from anywhere, as text. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    /** A coordinate. */
    static String at(double number) {
        return String.format(Locale.ROOT, "%.1f", number);
    }
}
