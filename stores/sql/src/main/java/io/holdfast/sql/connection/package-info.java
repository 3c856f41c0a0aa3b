/** Where connections come from, how statements run on them, and what their errors mean. */
@NullMarked
package io.holdfast.sql.connection;

import org.jspecify.annotations.NullMarked;
