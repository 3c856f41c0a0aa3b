/** Tests of single classes. */
@NullMarked
package io.holdfast.redlock.vote;

import org.jspecify.annotations.NullMarked;
