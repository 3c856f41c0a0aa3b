/** The results as JSON and as one Markdown table. */
@NullMarked
package io.holdfast.bench.report;

import org.jspecify.annotations.NullMarked;
