/** Workloads of the command line, beside flock(1) and a bare JVM. */
@NullMarked
package io.holdfast.bench.command;

import org.jspecify.annotations.NullMarked;
