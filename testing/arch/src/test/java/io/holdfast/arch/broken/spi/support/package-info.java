/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.spi.support;

import org.jspecify.annotations.NullMarked;
