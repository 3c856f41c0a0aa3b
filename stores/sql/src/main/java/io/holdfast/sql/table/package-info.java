/** What lease rows and session locks have in common in their tables: how names and labels are stored, and marks. */
@NullMarked
package io.holdfast.sql.table;

import org.jspecify.annotations.NullMarked;
