/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.cycle.first;

import org.jspecify.annotations.NullMarked;
