/** Virtual time, the machines that live in it, and the trace of what happened. */
@NullMarked
package io.holdfast.sim.world;

import org.jspecify.annotations.NullMarked;
