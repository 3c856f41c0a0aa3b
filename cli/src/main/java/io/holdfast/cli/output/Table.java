package io.holdfast.cli.output;

import java.util.ArrayList;
import java.util.List;

/** Aligned columns, two blanks apart; the last one is not padded. */
public final class Table {
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    private final List<List<String>> rows = new ArrayList<>();

    /** With these headings. */
    public Table(String... headings) {
        rows.add(List.of(headings));
    }

    /** Adds a row. */
    public void row(String... cells) {
        rows.add(List.of(cells));
    }

    /** The lines; the headings in bold if wanted. */
    public List<String> lines(boolean colours) {
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                String cell = Terminal.oneLine(row.get(i));
                line.append(cell);
                if (i < row.size() - 1) {
                    line.append(" ".repeat(width(i) - Width.of(cell) + 2));
                }
            }
            lines.add(colours && lines.isEmpty() ? BOLD + line + PLAIN : line.toString());
        }
        return lines;
    }

    private int width(int column) {
        return rows.stream()
                .mapToInt(row -> Width.of(Terminal.oneLine(row.get(column))))
                .max()
                .orElse(0);
    }
}
