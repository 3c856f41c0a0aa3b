@NullMarked
package io.holdfast.bench.workloads;

import org.jspecify.annotations.NullMarked;
