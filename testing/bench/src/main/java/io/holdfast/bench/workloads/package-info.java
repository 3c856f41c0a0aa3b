/** What is measured: one small class per question. */
@NullMarked
package io.holdfast.bench.workloads;

import org.jspecify.annotations.NullMarked;
