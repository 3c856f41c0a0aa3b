/** Tests of single classes. */
@NullMarked
package io.holdfast.redlock.node;

import org.jspecify.annotations.NullMarked;
