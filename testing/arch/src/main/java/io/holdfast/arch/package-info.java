/** Keeps the arrows of the architecture; each rule is proved against a deliberately broken sample. */
@NullMarked
package io.holdfast.arch;

import org.jspecify.annotations.NullMarked;
