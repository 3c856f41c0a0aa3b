/** Internal: held grants and their leases, from the grant to the release or the loss, and their renewal. */
@NullMarked
package io.holdfast.engine.lease;

import org.jspecify.annotations.NullMarked;
