/** H2: its tables and statements. */
@NullMarked
package io.holdfast.sql.h2;

import org.jspecify.annotations.NullMarked;
