/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.cycle.second;

import org.jspecify.annotations.NullMarked;
