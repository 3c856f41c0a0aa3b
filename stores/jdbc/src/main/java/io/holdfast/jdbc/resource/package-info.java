/**
 * The side of the data: {@link io.holdfast.jdbc.resource.JdbcGuard} refuses stale holders inside the user's own
 * transaction, {@link io.holdfast.jdbc.resource.ColumnGuard} inside a single statement, and {@link
 * io.holdfast.jdbc.resource.Optimistic} needs no lock at all. Nothing here opens a store or rewrites a user's SQL.
 */
@NullMarked
package io.holdfast.jdbc.resource;

import org.jspecify.annotations.NullMarked;
