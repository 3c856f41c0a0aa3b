/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.engine.queue;

import org.jspecify.annotations.NullMarked;
