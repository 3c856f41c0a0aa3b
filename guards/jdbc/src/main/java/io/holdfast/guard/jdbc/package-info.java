/**
 * Guards at the data: {@link io.holdfast.guard.jdbc.JdbcGuard} refuses stale holders inside the user's own
 * transaction, {@link io.holdfast.guard.jdbc.ColumnGuard} inside a single statement, and {@link
 * io.holdfast.guard.jdbc.Optimistic} needs no lock at all. Nothing here opens a store or rewrites a user's SQL.
 */
@NullMarked
package io.holdfast.guard.jdbc;

import org.jspecify.annotations.NullMarked;
