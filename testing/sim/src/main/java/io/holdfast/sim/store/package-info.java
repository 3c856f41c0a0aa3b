/** The server of the modelled store. */
@NullMarked
package io.holdfast.sim.store;

import org.jspecify.annotations.NullMarked;
