/** The processes with the real engine, their network, and the faults that meet them. */
@NullMarked
package io.holdfast.sim.client;

import org.jspecify.annotations.NullMarked;
