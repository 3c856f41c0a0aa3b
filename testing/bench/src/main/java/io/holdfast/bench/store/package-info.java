/** The stores that are measured: how each is started, and what it counts. */
@NullMarked
package io.holdfast.bench.store;

import org.jspecify.annotations.NullMarked;
