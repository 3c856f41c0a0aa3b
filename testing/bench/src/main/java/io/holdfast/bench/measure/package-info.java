/** Tools that workloads measure with: loops, sections that notice a broken lock, latencies, meters. */
@NullMarked
package io.holdfast.bench.measure;

import org.jspecify.annotations.NullMarked;
