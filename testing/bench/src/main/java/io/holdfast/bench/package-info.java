/**
 * Side-by-side measurements: contestants in separate JVMs, interleaved rounds, results as within-round comparisons with
 * their range.
 */
@NullMarked
package io.holdfast.bench;

import org.jspecify.annotations.NullMarked;
