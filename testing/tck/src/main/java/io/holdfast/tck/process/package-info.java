/** Tests with several processes: child JVMs, and what they do under a lock. */
@NullMarked
package io.holdfast.tck.process;

import org.jspecify.annotations.NullMarked;
