/** Internal: clocks, threads, randomness, logging and the way a store is called. Knows nothing of locks and leases. */
@NullMarked
package io.holdfast.engine.runtime;

import org.jspecify.annotations.NullMarked;
