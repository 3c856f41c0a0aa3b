/** Runs a workload in rounds: each contestant in a JVM of its own, and what came of it. */
@NullMarked
package io.holdfast.bench.run;

import org.jspecify.annotations.NullMarked;
