/** The rules and what checks them: the grants of the store, and what clients send, hold and wait for. */
@NullMarked
package io.holdfast.sim.check;

import org.jspecify.annotations.NullMarked;
