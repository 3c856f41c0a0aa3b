/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.memory;

import org.jspecify.annotations.NullMarked;
