/** Lock libraries by store: Holdfast, its peers, and raw commands as floors. */
@NullMarked
package io.holdfast.bench.library;

import org.jspecify.annotations.NullMarked;
