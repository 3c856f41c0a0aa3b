/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.engine.lease;

import org.jspecify.annotations.NullMarked;
