/** Internal: the local queue, waiting and lease keeping. Not exported. */
@NullMarked
package io.holdfast.engine;

import org.jspecify.annotations.NullMarked;
