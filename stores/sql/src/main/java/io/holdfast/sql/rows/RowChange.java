package io.holdfast.sql.rows;

import org.jspecify.annotations.Nullable;

/**
 * What a verb makes of a row.
 *
 * @param answer what the caller is told, once {@code next} is written
 * @param next the row to write in place of the one that was read; null if there is nothing to write
 * @param opens whether writing it may let other claims in, so that waiting clients are to be notified
 */
record RowChange<T>(T answer, @Nullable LockRow next, boolean opens) {
    static <T> RowChange<T> none(T answer) {
        return new RowChange<>(answer, null, false);
    }

    static <T> RowChange<T> write(T answer, LockRow next) {
        return new RowChange<>(answer, next, false);
    }

    static <T> RowChange<T> open(T answer, LockRow next) {
        return new RowChange<>(answer, next, true);
    }
}
