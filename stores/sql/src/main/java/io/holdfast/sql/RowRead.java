package io.holdfast.sql;

/**
 * A row as one statement saw it.
 *
 * @param row the row
 * @param now the database's time then, in nanoseconds since 1970
 */
record RowRead(LockRow row, long now) {}
