/** Leases as rows: {@code RowRules} decides, {@code LeaseRows} reads and writes, {@code LeaseRowStore} has the verbs. */
@NullMarked
package io.holdfast.sql.rows;

import org.jspecify.annotations.NullMarked;
