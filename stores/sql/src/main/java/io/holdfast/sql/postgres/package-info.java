/** PostgreSQL: its tables, its statements, its notifications, its advisory locks and row locks. */
@NullMarked
package io.holdfast.sql.postgres;

import org.jspecify.annotations.NullMarked;
