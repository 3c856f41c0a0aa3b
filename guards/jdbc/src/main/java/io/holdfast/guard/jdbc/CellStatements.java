package io.holdfast.guard.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The two statements of a compare-and-swap: read the value with what it is compared by, and write it if that is still
 * there.
 */
final class CellStatements {
    /** How a change is noticed. */
    enum Comparison {
        /** Not said yet. */
        NONE,
        /** By a number that every writer increments. */
        VERSION,
        /** By the value itself. */
        VALUE,
        /** By the time of the last change. */
        TIMESTAMP
    }

    /**
     * What was read.
     *
     * @param value the value
     * @param compared the version, the value or the timestamp
     * @param digits of a timestamp column, after the second
     * @param <T> the type of the value
     */
    record Seen<T>(T value, Object compared, int digits) {}

    private final String table;
    private final String column;
    private final Map<String, Object> key;
    private final Comparison comparison;
    private final String compared;

    CellStatements(String table, String column, Map<String, Object> key, Comparison comparison, String compared) {
        if (comparison == Comparison.NONE) {
            throw new IllegalStateException(table + "." + column
                    + " has nothing to compare: call byVersion(column), byValue() or byTimestamp(column)");
        }
        this.table = table;
        this.column = column;
        this.key = key;
        this.comparison = comparison;
        this.compared = compared;
    }

    /** The value and what it is compared by, or empty if there is no such row. */
    <T> Optional<Seen<T>> read(Connection connection, Class<T> type) throws SQLException {
        String text = "SELECT " + column + ", " + compared + " FROM " + table + " WHERE " + keyCondition();
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            bindKey(statement, 1);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                notNull(column, rows.getObject(1)); // some drivers cannot make a typed null
                notNull(compared, rows.getObject(2));
                T value = rows.getObject(1, type);
                Seen<T> seen = switch (comparison) {
                    case VALUE -> new Seen<>(value, value, 0);
                    case TIMESTAMP -> timestamp(connection, value, rows);
                    default -> new Seen<>(value, rows.getLong(2), 0);
                };
                if (rows.next()) {
                    throw new IllegalStateException("more than one row of " + table + " has this key: give all of it");
                }
                return Optional.of(seen);
            }
        }
    }

    /** Writes if the value was not changed since it was read. */
    boolean write(Connection connection, Seen<?> seen, Object value) throws SQLException {
        String now = "CURRENT_TIMESTAMP(" + seen.digits() + ")";
        String text = "UPDATE " + table + " SET " + column + " = ?"
                + switch (comparison) {
                    case VERSION -> ", " + compared + " = " + compared + " + 1";
                    case TIMESTAMP -> ", " + compared + " = " + now;
                    default -> "";
                }
                + " WHERE " + keyCondition() + " AND " + compared + " = ?"
                // In the same tick the new stamp would be the old one, and the next reader would not notice.
                + (comparison == Comparison.TIMESTAMP ? " AND " + compared + " < " + now : "");
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setObject(1, value);
            int next = bindKey(statement, 2);
            statement.setObject(next, seen.compared());
            return statement.executeUpdate() == 1;
        }
    }

    private <T> Seen<T> timestamp(Connection connection, T value, ResultSet rows) throws SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        String typeName = columns.getColumnTypeName(2).toUpperCase(Locale.ROOT);
        if (!typeName.startsWith("TIMESTAMP") && !typeName.startsWith("DATETIME")) {
            throw new IllegalStateException("column '" + compared + "' of " + table + " is a " + typeName
                    + " and no timestamp: use byVersion(column)");
        }
        boolean zoned = typeName.equals("TIMESTAMPTZ") || typeName.endsWith("WITH TIME ZONE");
        Object stamp = zoned ? rows.getObject(2, OffsetDateTime.class) : rows.getObject(2, LocalDateTime.class);
        return new Seen<>(value, stamp, digits(connection, columns));
    }

    /** After the second. Too few make writers wait for longer ticks; too many would let two stamps be equal. */
    private static int digits(Connection connection, ResultSetMetaData columns) throws SQLException {
        int scale = columns.getScale(2);
        if (scale == 0 && connection.getMetaData().getDriverName().startsWith("MySQL")) {
            // Always 0 there; "2026-11-15 12:00:00.123456" is 20 characters and the digits.
            return Math.max(0, columns.getPrecision(2) - 20);
        }
        return Math.max(0, scale);
    }

    private void notNull(String which, @Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("column '" + which + "' of " + table
                    + " is NULL, which equals nothing: declare it NOT NULL with a default");
        }
    }

    private String keyCondition() {
        return String.join(" = ? AND ", key.keySet()) + " = ?";
    }

    private int bindKey(PreparedStatement statement, int from) throws SQLException {
        int next = from;
        for (Object value : key.values()) {
            statement.setObject(next++, value);
        }
        return next;
    }
}
