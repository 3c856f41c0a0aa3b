/** An example: one stock, several processes that sell from it, four ways to do so. */
@NullMarked
package io.holdfast.examples.stock;

import org.jspecify.annotations.NullMarked;
