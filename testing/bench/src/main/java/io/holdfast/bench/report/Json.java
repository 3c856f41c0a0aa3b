package io.holdfast.bench.report;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, strings, numbers and booleans as indented JSON. */
public final class Json {
    private final StringBuilder out = new StringBuilder();

    private Json() {}

    public static String write(@Nullable Object value) {
        Json json = new Json();
        json.append(value, 0);
        return json.out.append('\n').toString();
    }

    private void append(@Nullable Object value, int depth) {
        if (value instanceof Map<?, ?> map) {
            appendAll('{', '}', map.entrySet().iterator(), depth);
        } else if (value instanceof List<?> list) {
            appendAll('[', ']', list.iterator(), depth);
        } else if (value instanceof Map.Entry<?, ?> entry) {
            appendString(String.valueOf(entry.getKey()));
            out.append(": ");
            append(entry.getValue(), depth);
        } else if (value instanceof Double number) {
            appendNumber(number);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            appendString(value.toString());
        }
    }

    private void appendAll(char open, char close, Iterator<?> items, int depth) {
        out.append(open);
        boolean any = items.hasNext();
        while (items.hasNext()) {
            newLine(depth + 1);
            append(items.next(), depth + 1);
            if (items.hasNext()) {
                out.append(',');
            }
        }
        if (any) {
            newLine(depth);
        }
        out.append(close);
    }

    private void appendNumber(double number) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("JSON has no " + number);
        }
        if (number == Math.rint(number) && Math.abs(number) < 1e15) {
            out.append((long) number);
        } else {
            out.append(number);
        }
    }

    private void appendString(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private void newLine(int depth) {
        out.append('\n').append("  ".repeat(depth));
    }
}
