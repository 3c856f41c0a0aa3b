/** What the engine promises over a store: the suites that the test of a store extends, and their clauses. */
@NullMarked
package io.holdfast.tck.engine;

import org.jspecify.annotations.NullMarked;
