/** What a run or many runs found. */
@NullMarked
package io.holdfast.sim.report;

import org.jspecify.annotations.NullMarked;
