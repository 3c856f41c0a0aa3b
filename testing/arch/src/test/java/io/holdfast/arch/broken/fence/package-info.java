/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.fence;

import org.jspecify.annotations.NullMarked;
