/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.guard.file;

import org.jspecify.annotations.NullMarked;
