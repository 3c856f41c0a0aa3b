/** Checks the models. */
@NullMarked
package io.holdfast.spec;

import org.jspecify.annotations.NullMarked;
