/** Samples that break the rules on purpose. */
@NullMarked
package io.holdfast.arch.broken.file;

import org.jspecify.annotations.NullMarked;
