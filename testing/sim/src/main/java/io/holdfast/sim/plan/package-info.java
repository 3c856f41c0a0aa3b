/** What one seed draws: the load, the faults, the bug that is planted. */
@NullMarked
package io.holdfast.sim.plan;

import org.jspecify.annotations.NullMarked;
