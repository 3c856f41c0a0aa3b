package io.holdfast.cli.output;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON object under construction. Tokens are written as strings (rule C7): many readers only have doubles. */
public final class Json {
    private final Map<String, Object> members = new LinkedHashMap<>();

    /** Adds a string. */
    public Json with(String name, String value) {
        members.put(name, value);
        return this;
    }

    /** Adds a truth value. */
    public Json with(String name, boolean value) {
        members.put(name, value);
        return this;
    }

    /** Adds a number that fits a double. */
    public Json with(String name, long value) {
        members.put(name, value);
        return this;
    }

    /** Adds an object. */
    public Json with(String name, Json value) {
        members.put(name, value);
        return this;
    }

    /** Adds an array of objects. */
    public Json with(String name, List<Json> values) {
        members.put(name, List.copyOf(values));
        return this;
    }

    /** On one line. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        write(text, this);
        return text.toString();
    }

    private static void write(StringBuilder text, Object value) {
        if (value instanceof Json json) {
            char before = '{';
            for (Map.Entry<String, Object> member : json.members.entrySet()) {
                text.append(before);
                quote(text, member.getKey());
                text.append(':');
                write(text, member.getValue());
                before = ',';
            }
            text.append(before == '{' ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            char before = '[';
            for (Object element : list) {
                text.append(before);
                write(text, element);
                before = ',';
            }
            text.append(before == '[' ? "[]" : "]");
        } else if (value instanceof String string) {
            quote(text, string);
        } else {
            text.append(value);
        }
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || (Character.isSurrogate(c) && !paired(value, i))) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    private static boolean paired(String value, int i) {
        char c = value.charAt(i);
        return Character.isHighSurrogate(c)
                ? i + 1 < value.length() && Character.isLowSurrogate(value.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(value.charAt(i - 1));
    }
}
