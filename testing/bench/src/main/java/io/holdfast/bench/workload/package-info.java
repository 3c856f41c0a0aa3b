/** What a workload is: contestants that are measured side by side, and what one measurement says. */
@NullMarked
package io.holdfast.bench.workload;

import org.jspecify.annotations.NullMarked;
