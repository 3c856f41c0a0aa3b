package io.holdfast.guard.jdbc;

import io.holdfast.guard.jdbc.CellStatements.Comparison;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One column of one row, and how to notice that another client changed it: {@code Cell.of("stock", "pieces",
 * Integer.class).where("id", 42).byVersion("version")}. Immutable.
 *
 * @param <T> the Java type of the column
 */
public final class Cell<T> {
    private final String table;
    private final String column;
    private final Class<T> type;
    private final Map<String, Object> key;
    private final Comparison comparison;
    private final String compared;

    private Cell(
            String table,
            String column,
            Class<T> type,
            Map<String, Object> key,
            Comparison comparison,
            String compared) {
        this.table = FenceTable.identifier("table", table);
        this.column = FenceTable.identifier("column", column);
        this.type = Objects.requireNonNull(type, "type");
        this.key = key;
        this.comparison = comparison;
        this.compared = compared;
    }

    /** A column of a table; {@link #where} says in which row, and one of the {@code by…} verbs how it is compared. */
    public static <T> Cell<T> of(String table, String column, Class<T> type) {
        return new Cell<>(table, column, type, Map.of(), Comparison.NONE, column);
    }

    /** The row whose {@code keyColumn} is {@code value}; several calls for a key of several columns. */
    public Cell<T> where(String keyColumn, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(key);
        more.put(FenceTable.identifier("column", keyColumn), Objects.requireNonNull(value, keyColumn));
        return new Cell<>(table, column, type, more, comparison, compared);
    }

    /**
     * By a {@code BIGINT NOT NULL} that every writer increments. The best of the three: it notices every change, also
     * of other columns.
     */
    public Cell<T> byVersion(String versionColumn) {
        FenceTable.identifier("column", versionColumn);
        return new Cell<>(table, column, type, key, Comparison.VERSION, versionColumn);
    }

    /**
     * By the value itself; needs no extra column. A value that was changed and changed back counts as unchanged (ABA):
     * fine for a counter of pieces, wrong where the way to the value matters. Text compares as the column's collation
     * does. Floating point is refused.
     */
    public Cell<T> byValue() {
        if (type == Double.class || type == Float.class) {
            throw new IllegalArgumentException(
                    "column '" + column + "' is floating point, which does not compare reliably: add a version column");
        }
        return new Cell<>(table, column, type, key, Comparison.VALUE, column);
    }

    /**
     * By a timestamp column that every writer sets to the database's time. Two changes within the column's resolution
     * look like one. Writers of this class never make them: they wait for the next tick, so a column that counts
     * seconds allows one change per second. Writers that set the column themselves are not held back, and an update can
     * be lost; likewise if the database's clock is set back. Prefer a version. Not on SQLite, which has no timestamps.
     */
    public Cell<T> byTimestamp(String timestampColumn) {
        FenceTable.identifier("column", timestampColumn);
        return new Cell<>(table, column, type, key, Comparison.TIMESTAMP, timestampColumn);
    }

    /** As in messages; without the values of the key, which may be private. */
    @Override
    public String toString() {
        return table + "." + column;
    }

    Class<T> type() {
        return type;
    }

    CellStatements statements() {
        if (key.isEmpty()) {
            throw new IllegalStateException(this + " has no row: call where(column, value)");
        }
        return new CellStatements(table, column, key, comparison, compared);
    }
}
