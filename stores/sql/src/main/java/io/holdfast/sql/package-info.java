/** Locks in SQL databases. {@link io.holdfast.sql.SqlStoreProvider} opens {@code jdbc:} URLs. */
@NullMarked
package io.holdfast.sql;

import org.jspecify.annotations.NullMarked;
