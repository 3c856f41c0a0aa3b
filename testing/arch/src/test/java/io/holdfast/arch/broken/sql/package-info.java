/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.sql;

import org.jspecify.annotations.NullMarked;
