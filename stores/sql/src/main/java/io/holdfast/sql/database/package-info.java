/** What differs between kinds of database: {@code Database}. The packages beside this one implement it. */
@NullMarked
package io.holdfast.sql.database;

import org.jspecify.annotations.NullMarked;
