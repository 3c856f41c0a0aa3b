/** Fencing at the resource: marks and guards. No I/O of its own. */
@NullMarked
package io.holdfast.fence;

import org.jspecify.annotations.NullMarked;
