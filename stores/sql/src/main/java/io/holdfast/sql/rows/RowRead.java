package io.holdfast.sql.rows;

/**
 * A row as one statement saw it.
 *
 * @param row the row
 * @param now the database's time then, in nanoseconds since 1970
 */
public record RowRead(LockRow row, long now) {}
