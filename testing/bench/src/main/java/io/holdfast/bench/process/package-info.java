/** Processes that a contestant starts beside its own, and the section that they share. */
@NullMarked
package io.holdfast.bench.process;

import org.jspecify.annotations.NullMarked;
